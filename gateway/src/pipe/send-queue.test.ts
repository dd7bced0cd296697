import type { Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { askQueues, whenDelivered } from './send-queue.ts';

const clock = { now: 0 };
vi.mock('node:fs/promises', () => ({
  readFile: () => {
    clock.now += 20;
    return Promise.resolve('');
  },
}));

afterEach(() => void vi.restoreAllMocks());

test('the tables of all sockets are read and parsed for at most a tenth of the time', async () => {
  vi.spyOn(performance, 'now').mockImplementation(() => clock.now);
  const pauses: unknown[] = [];
  const next: (() => void)[] = [];
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((task: () => void, pauseMs: number) => {
    pauses.push(pauseMs);
    next.push(task);
    return { unref: () => {} };
  }) as never);
  const socket = { destroyed: false, writableLength: 1 } as unknown as Socket;
  whenDelivered(socket, { lingerMs: 0, flushMs: 60_000 }, () => {});
  while (pauses.length === 0) await new Promise(setImmediate);
  expect(pauses).toEqual([400]);
  Object.assign(socket, { destroyed: true });
  next[0]!();
});

test('the system is asked for each socket, where native code can: what is not acknowledged delays the end', async () => {
  vi.useFakeTimers();
  const socket = { destroyed: false, writableLength: 0, _handle: { fd: 7 } } as unknown as Socket;
  let bytes = 10;
  const asked: number[] = [];
  askQueues((descriptor) => {
    asked.push(descriptor);
    return bytes;
  });
  let isDone = false;
  whenDelivered(socket, { lingerMs: 100, flushMs: 60_000 }, () => (isDone = true));
  await vi.advanceTimersByTimeAsync(1_000);
  expect([isDone, asked.every((descriptor) => descriptor === 7)]).toEqual([false, true]);
  bytes = 0;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isDone).toBe(true);
  vi.useRealTimers();
});
