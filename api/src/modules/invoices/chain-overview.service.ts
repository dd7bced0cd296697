/** How the chains are doing, for staff. */
import type { Ctx } from '../../ctx.ts';
import { chains } from '../../payments/currencies.ts';
import { watcherOf } from './chains.ts';
import * as deposits from './deposits.store.ts';

/** Whether each chain is watched, and how many of its deposits are not credited yet. */
export async function showChains(ctx: Ctx) {
  const open = await deposits.countOpen(ctx);
  return chains.map((chain) => ({
    chain,
    isWatched: watcherOf(ctx, chain) !== undefined,
    openDeposits: open.find((each) => each.chain === chain)?.count ?? 0,
  }));
}
