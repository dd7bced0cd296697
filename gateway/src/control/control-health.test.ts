import { ApiError } from '@cellhop/contract/client';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { ControlHealth } from './control-health.ts';

describe('the log of the state of the control plane', () => {
  it('has one line for each change, without a stack', () => {
    const lines: Record<string, unknown>[] = [];
    const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
    const health = new ControlHealth(pino({ base: null, timestamp: false }, { write }));
    const unreachable = () => health.failed(new ApiError(0, 'NETWORK', 'fetch failed'));
    const unauthorized = () => health.failed(new ApiError(401, 'UNAUTHORIZED', 'Sign in'));
    for (const event of [unreachable, unreachable, unauthorized, unauthorized, unreachable, unreachable]) event();
    health.succeeded();
    health.succeeded();
    expect(lines.map(({ level, status, code, message }) => [level, status, code, message])).toEqual([
      [40, 0, 'NETWORK', 'fetch failed'],
      [40, 401, 'UNAUTHORIZED', 'Sign in'],
      [40, 0, 'NETWORK', 'fetch failed'],
      [30, undefined, undefined, undefined],
    ]);
    expect(JSON.stringify(lines)).not.toContain('stack');
  });

  it('has one line a minute about refusals, with their number and the validation errors', () => {
    const lines: Record<string, unknown>[] = [];
    const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
    const clock = { now: 0 };
    const health = new ControlHealth(pino({ base: null, timestamp: false }, { write }), () => clock.now);
    const details = Array.from({ length: 20 }, (_, index) => ({ path: `body.usages.${index}`, message: 'Too big' }));
    const body = { statusCode: 400, error: 'Bad Request', code: 'VALIDATION' as const, message: 'Wrong', details };
    const refusal = new ApiError(400, 'VALIDATION', 'Wrong', body);
    expect(health.state).toBe('ok');
    for (; clock.now < 60_000; clock.now += 500) {
      health.refused('update', refusal);
      health.succeeded();
    }
    expect(health.state).toBe('refusing');
    health.refused('update', refusal);
    expect(lines.map(({ call, sinceLastLine }) => [call, sinceLastLine])).toEqual([
      ['update', 0],
      ['update', 119],
    ]);
    expect(lines[0]!['details']).toEqual(details.slice(0, 3));
    clock.now += 60_000;
    expect(health.state).toBe('ok');
  });
});
