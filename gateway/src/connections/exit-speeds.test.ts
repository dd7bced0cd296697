import { describe, expect, it } from 'vitest';
import type { Exit } from '../exits/exit.ts';
import type { Connection } from './connection.ts';
import { ExitSpeeds } from './exit-speeds.ts';

const exit = () => ({}) as Exit;
const open = (through: Exit, usedBytes = 0) => ({ exit: through, credit: { usedBytes } }) as unknown as Connection;
const use = (connection: Connection, bytes: number) =>
  Object.assign(connection.credit, { usedBytes: connection.credit.usedBytes + bytes });

describe('the speed of an exit', () => {
  it('is the most that its tunnels reached together, until it was taken', () => {
    const [busy, idle] = [exit(), exit()];
    const [first, second, third] = [open(busy), open(busy), open(idle)];
    const connections = [first, second, third];
    const speeds = new ExitSpeeds();
    const start = performance.now();
    speeds.observe(connections, start + 5_000);
    for (const [seconds, bytes] of [
      [10, 4_000_000],
      [15, 1_000_000],
    ] as const) {
      use(first, bytes);
      use(second, bytes);
      speeds.observe(connections, start + seconds * 1_000);
    }
    expect([speeds.take(busy), speeds.take(busy), speeds.take(idle)]).toEqual([1_600_000, undefined, undefined]);
  });

  it('is no burst out of buffers, and nothing that was used before the connection was seen', () => {
    const through = exit();
    const speeds = new ExitSpeeds();
    const start = performance.now();
    speeds.observe([], start + 5_000);
    const connection = open(through, 9_000_000);
    speeds.observe([connection], start + 10_000);
    use(connection, 5_000_000);
    speeds.observe([connection], start + 10_100);
    expect(speeds.take(through)).toBeUndefined();
    speeds.observe([connection], start + 15_000);
    expect(speeds.take(through)).toBe(1_000_000);
  });
});
