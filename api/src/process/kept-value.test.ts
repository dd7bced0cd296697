import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keepValue } from './kept-value.ts';
import { createLog } from './log.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => vi.useRealTimers());

/** @returns the kept value, and how often it was read */
function openValue(read: () => Promise<number>) {
  return keepValue(createLog('test', 'silent', false), 'the value', read, 1000);
}
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

it('gives the known value while a newer one is read, for all callers once', async () => {
  let reads = 0;
  const value = openValue(() => Promise.resolve(++reads));
  expect(await Promise.all([value(), value()])).toEqual([1, 1]);
  pass(1001);
  expect(await Promise.all([value(), value()])).toEqual([1, 1]);
  expect([await value(), reads]).toEqual([2, 2]);
});

it('is not as old as the last caller: after a quiet time the first one waits for a new one', async () => {
  let reads = 0;
  const value = openValue(() => Promise.resolve(++reads));
  await value();
  pass(6001);
  expect(await Promise.all([value(), value()])).toEqual([2, 2]);
});

it('stays known after a failure, which is tried again later', async () => {
  let fails = false;
  let reads = 0;
  const value = openValue(() => (fails ? Promise.reject(new Error('away')) : Promise.resolve(++reads)));
  await value();
  fails = true;
  pass(6001);
  expect(await value()).toBe(1);
  fails = false;
  pass(6001);
  expect(await value()).toBe(2);
});

it('rejects while nothing is known, and reads again for the next caller', async () => {
  let fails = true;
  const value = openValue(() => (fails ? Promise.reject(new Error('away')) : Promise.resolve(1)));
  await expect(value()).rejects.toThrow('away');
  fails = false;
  expect(await value()).toBe(1);
});
