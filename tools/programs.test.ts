import { describe, expect, it } from 'vitest';
import { SHUTDOWN_LIMIT_MS } from '../api/src/process/process-lifecycle.ts';
import { parseConfig } from '../gateway/src/config.ts';
import { defaultLimits } from '../gateway/src/limits.ts';
import { graceMs } from './programs.mjs';

/** Delays of a busy machine: from the signal to the drain, and from the last response to the exit. */
const OVERHEAD_MS = 1_500;

describe('the grace period before SIGKILL', () => {
  it.each(['0', '2', '60', '3600', undefined])(
    'is long enough for a gateway that drains for %s s to deliver its last totals',
    (seconds) => {
      const { drainMs } = parseConfig({
        GATEWAY_CONTROL_URL: 'http://localhost:3000',
        GATEWAY_TOKEN: 'token',
        GATEWAY_DRAIN_SECONDS: seconds,
      });
      const needsMs = drainMs + defaultLimits.lastReportMs + OVERHEAD_MS;
      expect(graceMs('gateway', { GATEWAY_DRAIN_SECONDS: seconds })).toBeGreaterThan(needsMs);
    },
  );

  it.each(['api', 'worker'] as const)('is longer than the own shutdown limit of the %s', (part) => {
    expect(graceMs(part, {})).toBeGreaterThan(SHUTDOWN_LIMIT_MS + OVERHEAD_MS);
  });
});
