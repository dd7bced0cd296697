/** What our addresses hold now, for the operator who sweeps them. */
import type { Currency } from '@cellhop/contract/invoices.values';
import type { Ctx } from '../../ctx.ts';
import type { ChainWatcher } from '../../payments/chains/watcher.ts';
import { currencyRules } from '../../payments/currencies.ts';
import * as store from './addresses.store.ts';

export interface HoldingAddress extends store.WalletAddress {
  heldUnits: bigint;
}

/**
 * The addresses with the largest balances in a currency.
 * @returns at most `limit` of them, the largest first
 * @throws ChainUnavailable
 */
export async function listHoldings(
  ctx: Ctx,
  currency: Currency,
  watcher: ChainWatcher,
  limit: number,
): Promise<HoldingAddress[]> {
  const { addressSpace, asset } = currencyRules[currency];
  const { addressesMax, timeMs } = watcher.balanceLimits;
  let largest: HoldingAddress[] = [];
  for (let afterId = 0n; ;) {
    const page = await store.listAddresses(ctx, addressSpace, afterId, addressesMax);
    if (page.length === 0) return selectLargest(largest, limit);
    const listed = page.map(({ address }) => address);
    const { units } = await watcher.balances(asset, listed, AbortSignal.timeout(timeMs));
    const held = page.map((address) => Object.assign(address, { heldUnits: units.get(address.address) ?? 0n }));
    largest = selectLargest([...largest, ...held.filter(({ heldUnits }) => heldUnits > 0n)], limit);
    afterId = page.at(-1)!.id;
  }
}

function selectLargest(addresses: readonly HoldingAddress[], limit: number): HoldingAddress[] {
  return addresses.toSorted((a, b) => (a.heldUnits < b.heldUnits ? 1 : -1)).slice(0, limit);
}
