import { expect, test } from 'vitest';
import { NodeStatusReader } from './heartbeat.ts';

test('the rate is the mean since the last report', () => {
  let [now, bytes] = [0, 0];
  const status = new NodeStatusReader({ tunnels: () => 3, bytes: () => bytes, now: () => now });
  expect(status.read()).toEqual({
    softwareVersion: expect.stringMatching(/^\d+\.\d+\.\d+/),
    tunnels: 3,
    bytesPerSecond: 0,
  });
  [now, bytes] = [60_000, 6_000_000];
  expect(status.read().bytesPerSecond).toBe(100_000);
  now = 120_000;
  expect(status.read().bytesPerSecond).toBe(0);
});
