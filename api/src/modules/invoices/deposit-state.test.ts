import { expect, test } from 'vitest';
import { isGone } from './observe.ts';

test.each([
  ['ethereum', 20],
  ['litecoin', 20],
  ['tron', 80],
  ['bsc', 534],
  ['ton', 600],
] as const)('a payment on %s that has left the chain is gone after minutes, not after seconds', (chain, blocks) => {
  const isGoneAfter = (scanned: number) => isGone(chain, 1000, { scannedHeight: 1000 + scanned, isPoolWatched: false });
  expect([isGoneAfter(blocks - 1), isGoneAfter(blocks)]).toEqual([false, true]);
});

test('a payment that has left chain and pool is gone after a block', () => {
  expect(isGone('bitcoin', 1000, { scannedHeight: 1001, isPoolWatched: true })).toBe(true);
});

test('a payment that was never missing is not gone', () => {
  expect(isGone('tron', undefined, { scannedHeight: 1000, isPoolWatched: false })).toBe(false);
});
