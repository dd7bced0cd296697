import { ApiError } from '@cellhop/contract/client';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { ControlHealth } from './control-health.ts';

describe('the log about the control plane', () => {
  it('has one line for each change and no stack', () => {
    const lines: Record<string, unknown>[] = [];
    const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
    const health = new ControlHealth(pino({ base: null, timestamp: false }, { write }));
    const away = () => health.failed(new ApiError(0, 'NETWORK', 'fetch failed'));
    const refused = () => health.failed(new ApiError(401, 'UNAUTHORIZED', 'Sign in'));
    for (const happens of [away, away, refused, refused, away, away]) happens();
    health.answered();
    health.answered();
    expect(lines.map(({ level, status, code, message }) => [level, status, code, message])).toEqual([
      [40, 0, 'NETWORK', 'fetch failed'],
      [40, 401, 'UNAUTHORIZED', 'Sign in'],
      [40, 0, 'NETWORK', 'fetch failed'],
      [30, undefined, undefined, undefined],
    ]);
    expect(JSON.stringify(lines)).not.toContain('stack');
  });
});
