/** How fast each chain is, and from when on something is wrong with it. */
import type { Chain } from './currencies.ts';

const MINUTE_MS = 60_000;

interface ChainTimes {
  /** Usually between two blocks. */
  blockMs: number;
  pollEveryMs: number;
  /** An older newest block means that the chain or the node does not work, except very rarely. */
  headAgeMaxMs: number;
  /** Blocks that are read become final within this time, where nodes name final blocks. Ethereum takes 20 minutes, TRON one. */
  finalWithinMs?: number;
}

export const chainTimes: Record<Chain, ChainTimes> = {
  bitcoin: { blockMs: 600_000, pollEveryMs: 15_000, headAgeMaxMs: 180 * MINUTE_MS },
  litecoin: { blockMs: 150_000, pollEveryMs: 15_000, headAgeMaxMs: 60 * MINUTE_MS },
  ethereum: { blockMs: 12_000, pollEveryMs: 12_000, headAgeMaxMs: 10 * MINUTE_MS, finalWithinMs: 60 * MINUTE_MS },
  bsc: { blockMs: 450, pollEveryMs: 10_000, headAgeMaxMs: 5 * MINUTE_MS, finalWithinMs: 10 * MINUTE_MS },
  tron: { blockMs: 3000, pollEveryMs: 10_000, headAgeMaxMs: MINUTE_MS, finalWithinMs: 5 * MINUTE_MS },
  ton: { blockMs: 400, pollEveryMs: 5000, headAgeMaxMs: MINUTE_MS, finalWithinMs: 5 * MINUTE_MS },
};

/** How many blocks a chain usually has in this time. */
export function blocksIn(chain: Chain, ms: number): number {
  return Math.ceil(ms / chainTimes[chain].blockMs);
}
