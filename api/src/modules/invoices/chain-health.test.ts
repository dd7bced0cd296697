import { expect, test } from 'vitest';
import type { Chain } from '../../payments/currencies.ts';
import { findProblem } from './chains.ts';

const now = new Date('2026-11-22T12:00:00Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);

/** A chain that was just polled, whose newest block was just found. */
const healthy = (chain: Chain, lagBlocks = 0, headAgeSeconds = 0) => ({
  chain,
  cursor: null,
  polledAt: now,
  headHeight: 1_000_000n,
  headAt: ago(headAgeSeconds),
  safeHeight: null,
  finalizedHeight: null,
  scannedHeight: 1_000_000n - BigInt(lagBlocks),
  unavailableSince: null,
  unavailableReason: null,
  unavailableMessage: null,
  pausedAt: null,
  pauseReason: null,
  comparedAt: null,
  differences: [],
  warnings: [],
  refusedAssets: null,
});

test.each([
  ['bsc', 666, 668],
  ['ton', 750, 751],
  ['tron', 100, 101],
  ['ethereum', 25, 26],
  ['litecoin', 3, 4],
  ['bitcoin', 3, 4],
] as const)(
  '%s may be five minutes behind, which is a different number of blocks on each',
  (chain, blocks, tooMany) => {
    expect(findProblem(healthy(chain, blocks), now)).toBeUndefined();
    expect(findProblem(healthy(chain, tooMany), now)).toBe('BEHIND');
  },
);

test.each([
  ['tron', 60],
  ['ton', 60],
  ['bsc', 300],
  ['bitcoin', 10_800],
] as const)('the newest block of %s is at most %d seconds old', (chain, seconds) => {
  expect(findProblem(healthy(chain, 0, seconds), now)).toBeUndefined();
  expect(findProblem(healthy(chain, 0, seconds + 1), now)).toBe('OLD_HEAD');
});

test.each([
  ['tron', 100, 101],
  ['bsc', 1334, 1335],
  ['ethereum', 300, 301],
] as const)('blocks of %s must become final: %d may wait', (chain, waiting, tooMany) => {
  const state = (blocks: number) => ({ ...healthy(chain), finalizedHeight: 1_000_000n - BigInt(blocks) });
  expect(findProblem(state(waiting), now)).toBeUndefined();
  expect(findProblem(state(tooMany), now)).toBe('NOT_FINAL');
});
