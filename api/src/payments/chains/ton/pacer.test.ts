import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPacer } from './pacer.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => void vi.useRealTimers());

const { signal } = new AbortController();

/** @returns how many requests go at once; those that would have to wait are given up */
async function countAtOnce(pace: ReturnType<typeof createPacer>, asked: number): Promise<number> {
  let started = 0;
  for (let index = 0; index < asked; index += 1) {
    const waiting = Symbol('waiting');
    const turn = pace(signal).then(() => undefined);
    const result = await Promise.race([turn, new Promise((resolve) => setImmediate(() => resolve(waiting)))]);
    if (result === waiting) return started;
    started += 1;
  }
  return started;
}

it('lets as many requests through at once as in one second, and more after a pause', async () => {
  const pace = createPacer(10);
  expect(await countAtOnce(pace, 30)).toBe(10);
  vi.advanceTimersByTime(60_000);
  expect(await countAtOnce(pace, 30)).toBe(10);
});

it('does not keep a request that is given up', async () => {
  const pace = createPacer(1);
  await pace(signal);
  expect(await countAtOnce(pace, 1)).toBe(0);
  await expect(pace(AbortSignal.abort())).resolves.toBeUndefined();
});
