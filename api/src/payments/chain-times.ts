/** Rules in units of time, for chains whose heights grow at very different speeds. */
import type { Chain } from './currencies.ts';

/** The usual time between two blocks. */
const blockMs: Record<Chain, number> = {
  bitcoin: 600_000,
  litecoin: 150_000,
  ethereum: 12_000,
  bsc: 450,
  tron: 3000,
  ton: 400,
};

/** How many blocks a chain usually has in this time. */
export function blocksIn(chain: Chain, ms: number): number {
  return Math.ceil(ms / blockMs[chain]);
}
