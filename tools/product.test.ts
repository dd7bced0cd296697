import { describe, expect, it } from 'vitest';
import { SHUTDOWN_LIMIT_MS } from '../api/src/process-lifecycle.ts';
import { parseConfig } from '../gateway/src/config.ts';
import { defaultLimits } from '../gateway/src/limits.ts';
import { graceMs } from './product.mjs';

/** Of a busy machine: from the signal to the drain, and from the last answer to the exit. */
const OVERHEAD_MS = 1_500;

describe('a program that is told to stop', () => {
  it.each(['0', '2', '60', '3600'])(
    'as a gateway that drains for %s s is killed only after it has given up its last totals',
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

  it.each(['api', 'worker'] as const)('as the %s is killed only after it has given up itself', (part) => {
    expect(graceMs(part, {})).toBeGreaterThan(SHUTDOWN_LIMIT_MS + OVERHEAD_MS);
  });
});
