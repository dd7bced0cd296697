/**
 * Compares the balances of all addresses, however old, with their deposits, once a day. This finds payments to addresses that are no
 * longer watched, and missed blocks. A balance below the deposits is no difference, because the operator sweeps the addresses.
 */
import { currencies, type Currency } from '@cellhop/contract/invoices.values';
import type { Ctx } from '../../ctx.ts';
import { formatUnits } from '../../payments/amounts.ts';
import { ChainUnavailable, type ChainWatcher } from '../../payments/chains/watcher.ts';
import { chains, currencyRules, type Chain } from '../../payments/currencies.ts';
import { isSandbox, watcherFor } from './chains.ts';
import * as states from './chain-states.store.ts';
import * as store from './addresses.store.ts';

const ADDRESSES_PER_REQUEST = 500;
const REQUEST_LIMIT_MS = 60_000;
/** A few are enough for the operator. */
const DIFFERENCES_MAX = 100;

export async function compareChains(ctx: Ctx): Promise<void> {
  if (isSandbox(ctx)) return;
  for (const chain of chains) {
    const watcher = watcherFor(ctx, chain);
    if (watcher) await tryToCompare(ctx, chain, watcher);
  }
}

/** @returns sentences for the operator */
export async function compareChain(ctx: Ctx, chain: Chain, watcher: ChainWatcher): Promise<string[]> {
  const differences: string[] = [];
  for (const currency of currencies.filter((each) => currencyRules[each].chain === chain))
    differences.push(...(await compareCurrency(ctx, currency, watcher)));
  await states.saveComparison(ctx, chain, differences.slice(0, DIFFERENCES_MAX));
  if (differences.length > 0) ctx.log.error({ chain, differences }, 'addresses hold more than their deposits');
  return differences;
}

/** A chain that cannot be read is compared tomorrow; its health says why. */
async function tryToCompare(ctx: Ctx, chain: Chain, watcher: ChainWatcher): Promise<void> {
  try {
    await compareChain(ctx, chain, watcher);
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    ctx.log.warn({ chain, reason: error.reason, detail: error.message }, 'addresses could not be compared');
  }
}

async function compareCurrency(ctx: Ctx, currency: Currency, watcher: ChainWatcher): Promise<string[]> {
  const rules = currencyRules[currency];
  const differences: string[] = [];
  for await (const { address, units, heldUnits } of readAddresses(ctx, currency, watcher)) {
    if (differences.length >= DIFFERENCES_MAX) break;
    if (heldUnits <= units) continue;
    differences.push(`${address} holds ${formatUnits(heldUnits - units, rules)} ${currency} more than its deposits`);
  }
  return differences;
}

export interface HoldingAddress extends store.ReceivedByAddress {
  heldUnits: bigint;
}

/**
 * The addresses with the largest balances in a currency, for the operator who sweeps them.
 * @returns at most `limit` of them, the largest first
 * @throws ChainUnavailable
 */
export async function listHoldings(
  ctx: Ctx,
  currency: Currency,
  watcher: ChainWatcher,
  limit: number,
): Promise<HoldingAddress[]> {
  let largest: HoldingAddress[] = [];
  for await (const address of readAddresses(ctx, currency, watcher)) {
    if (address.heldUnits === 0n) continue;
    largest.push(address);
    if (largest.length > 2 * limit) largest = selectLargest(largest, limit);
  }
  return selectLargest(largest, limit);
}

function selectLargest(addresses: readonly HoldingAddress[], limit: number): HoldingAddress[] {
  return addresses.toSorted((a, b) => (a.heldUnits < b.heldUnits ? 1 : -1)).slice(0, limit);
}

/** All addresses of a currency with their current balances. */
async function* readAddresses(ctx: Ctx, currency: Currency, watcher: ChainWatcher): AsyncGenerator<HoldingAddress> {
  const rules = currencyRules[currency];
  let afterId = 0n;
  while (true) {
    const page = await store.listReceived(ctx, rules, afterId, ADDRESSES_PER_REQUEST);
    if (page.length === 0) return;
    const addresses = page.map(({ address }) => address);
    const balances = await watcher.balances(rules.asset, addresses, AbortSignal.timeout(REQUEST_LIMIT_MS));
    for (const address of page) yield { ...address, heldUnits: balances.get(address.address) ?? 0n };
    afterId = page.at(-1)!.id;
  }
}
