/** What our addresses hold now, for the operator who sweeps them. */
import { currencies, type Currency } from '@cellhop/contract/invoices.values';
import type { Ctx } from '../../ctx.ts';
import type { ChainWatcher } from '../../payments/chains/watcher.ts';
import { type Chain, currencyRules } from '../../payments/currencies.ts';
import {
  type AddressBalances,
  HOLDINGS_VERSION,
  type HoldingsFile,
  holdingsFileSchema,
} from '../../payments/holdings-file.ts';
import * as store from './addresses.store.ts';

/** A call or two for each address. */
const DESCRIBE_LIMIT_MS = 10 * 60_000;

export interface HoldingAddress extends store.WalletAddress {
  balanceUnits: bigint;
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
    const held = page.map((address) => Object.assign(address, { balanceUnits: units.get(address.address) ?? 0n }));
    largest = selectLargest([...largest, ...held.filter(({ balanceUnits }) => balanceUnits > 0n)], limit);
    afterId = page.at(-1)!.id;
  }
}

/**
 * The addresses with the largest balances in each currency of a chain, and what a signature of a sweep needs.
 * @param limit of addresses for each currency
 * @throws ChainUnavailable
 */
export async function describeHoldings(
  ctx: Ctx,
  chain: Chain,
  watcher: ChainWatcher,
  limit: number,
): Promise<HoldingsFile> {
  const byId = new Map<bigint, AddressBalances>();
  for (const currency of currencies.filter((each) => currencyRules[each].chain === chain)) {
    const { asset } = currencyRules[currency];
    for (const { id, fingerprint, derivationIndex, address, balanceUnits } of await listHoldings(
      ctx,
      currency,
      watcher,
      limit,
    )) {
      const held = byId.get(id) ?? { account: fingerprint, index: Number(derivationIndex), address, assets: [] };
      held.assets.push({ asset, units: String(balanceUnits) });
      byId.set(id, held);
    }
  }
  const described = await watcher.describeHoldings([...byId.values()], AbortSignal.timeout(DESCRIBE_LIMIT_MS));
  return holdingsFileSchema.parse({
    kind: 'cellhop-holdings',
    version: HOLDINGS_VERSION,
    madeAt: new Date().toISOString(),
    chains: [described],
  });
}

function selectLargest(addresses: readonly HoldingAddress[], limit: number): HoldingAddress[] {
  return addresses.toSorted((a, b) => (a.balanceUnits < b.balanceUnits ? 1 : -1)).slice(0, limit);
}
