/**
 * Compares what all addresses hold, however old, with their deposits, once a day. This finds payments to addresses that are no longer
 * watched, and missed blocks, also of addresses that the operator has swept: a rise that no deposit explains.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { currencies, type Currency } from '@cellhop/contract/invoices.values';
import type { Ctx } from '../../ctx.ts';
import { formatUnits } from '../../payments/amounts.ts';
import { type Balances, ChainUnavailable, type ChainWatcher } from '../../payments/chains/watcher.ts';
import { chains, type CurrencyRules, currencyRules, findCurrency, type Chain } from '../../payments/currencies.ts';
import { inSlices } from '../../process/time-slices.ts';
import { isSandbox, watcherFor } from './chains.ts';
import * as addresses from './addresses.store.ts';
import * as states from './chain-states.store.ts';
import * as store from './comparison.store.ts';
import { compareBalance, feeUnitsOf, type KnownBalance, sweepFeeUnitsOf } from './known-balance.ts';
import { settleSweeps } from './sweep-settlement.ts';
import { sumSwept } from './sweeps.store.ts';

/** The job runs hourly. A round begins at the same hour each day, even if the last one began a little later than it was due. */
const EVERY_MS = 23.5 * 3_600_000;
/** A round that takes longer is continued by the next job. */
const JOB_LIMIT_MS = 50 * 60_000;
/** Some polls: addresses without open invoices are read once a minute, many of them in several polls. */
const READ_WAIT_MS = 4 * 60_000;
const READ_ASKED_EVERY_MS = 200;
/** A few are enough for the operator. */
const DIFFERENCES_MAX = 100;

/** Each chain by itself, at the same time, so that neither a slow one nor one that fails delays the others. */
export async function compareChains(ctx: Ctx, findWatcher = watcherFor): Promise<void> {
  if (isSandbox(ctx)) return;
  const results = await Promise.allSettled(chains.map((chain) => compareIfDue(ctx, chain, findWatcher(ctx, chain))));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/** A chain that cannot be read is compared an hour later, where it ended; its health says why. */
export async function compareIfDue(ctx: Ctx, chain: Chain, watcher: ChainWatcher | undefined): Promise<void> {
  const due = await Promise.all(
    currenciesOf(chain).map((currency) => store.isDue(ctx, currencyRules[currency], EVERY_MS)),
  );
  if (!watcher || !due.includes(true)) return;
  try {
    await compareChain(ctx, chain, watcher);
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    ctx.log.warn({ chain, reason: error.reason, detail: error.message }, 'addresses could not be compared');
  }
}

/**
 * Continues the comparison of a chain, or begins a new one.
 * @param readWaitMs for the polls that read the block of the balances
 * @returns sentences for the operator
 * @throws ChainUnavailable what was compared before stays
 */
export async function compareChain(
  ctx: Ctx,
  chain: Chain,
  watcher: ChainWatcher,
  readWaitMs = READ_WAIT_MS,
): Promise<string[]> {
  return compare(ctx, chain, watcher, { isFromStart: false, endsAtMs: performance.now() + JOB_LIMIT_MS, readWaitMs });
}

/** For a sweep: compares all addresses again, however long it takes. @throws ChainUnavailable */
export function compareFromStart(ctx: Ctx, chain: Chain, watcher: ChainWatcher): Promise<string[]> {
  return compare(ctx, chain, watcher, { isFromStart: true, endsAtMs: Infinity, readWaitMs: READ_WAIT_MS });
}

interface Extent {
  isFromStart: boolean;
  endsAtMs: number;
  readWaitMs: number;
}

async function compare(ctx: Ctx, chain: Chain, watcher: ChainWatcher, extent: Extent): Promise<string[]> {
  let isComplete = true;
  for (const currency of currenciesOf(chain))
    isComplete = (await compareCurrency(ctx, currency, watcher, extent)) && isComplete;
  const differences = await describeDifferences(ctx, chain);
  if (isComplete) await states.saveComparison(ctx, chain, differences);
  if (differences.length > 0) ctx.log.error({ chain, differences }, 'addresses received more than their deposits');
  return differences;
}

/** The operator knows where the money came from, such as the gas of a sweep. @returns false if nothing was unexplained */
export async function acceptDifferences(ctx: Ctx, chain: Chain, address: string): Promise<boolean> {
  if ((await store.acceptDifferences(ctx, chain, address)) === 0) return false;
  const { comparedAt } = await states.readState(ctx, chain);
  if (comparedAt !== null) await states.replaceDifferences(ctx, chain, await describeDifferences(ctx, chain));
  return true;
}

const currenciesOf = (chain: Chain) => currencies.filter((currency) => currencyRules[currency].chain === chain);

async function describeDifferences(ctx: Ctx, chain: Chain): Promise<string[]> {
  const differences = await store.listDifferences(ctx, chain, DIFFERENCES_MAX);
  return differences.flatMap(({ asset, address, units, afterHeight }) => {
    const currency = findCurrency(chain, asset);
    if (!currency) return [];
    const amount = `${formatUnits(units, currencyRules[currency])} ${currency}`;
    const since = afterHeight === null ? '' : `, after block ${afterHeight}`;
    return [`${address} received ${amount} more than its deposits${since}`];
  });
}

/** @returns false if its time is over before all addresses were compared */
async function compareCurrency(
  ctx: Ctx,
  currency: Currency,
  watcher: ChainWatcher,
  { isFromStart, endsAtMs, readWaitMs }: Extent,
): Promise<boolean> {
  const rules = currencyRules[currency];
  const { addressesMax, timeMs } = watcher.balanceLimits;
  const { afterId: firstId, previousHeight } = await store.continueRound(ctx, rules, isFromStart);
  for (let afterId = firstId; ;) {
    const page = await store.listCompared(ctx, rules, afterId, addressesMax);
    if (page.length === 0) break;
    if (performance.now() > endsAtMs) return false;
    const listed = page.map(({ address }) => address);
    const balances = await watcher.balances(rules.asset, listed, AbortSignal.timeout(timeMs));
    afterId = page.at(-1)!.id;
    await waitUntilRead(ctx, rules, watcher, balances, readWaitMs);
    await settleSweeps(
      ctx,
      rules.chain,
      page.map(({ id }) => id),
      balances.height,
    );
    await comparePage(ctx, currency, page, balances, { afterId, previousHeight });
  }
  await store.finishRound(ctx, rules);
  return true;
}

async function comparePage(
  ctx: Ctx,
  currency: Currency,
  page: readonly store.ComparedAddress[],
  balances: Balances,
  { afterId, previousHeight }: store.Round,
): Promise<void> {
  const rules = currencyRules[currency];
  const { height } = balances;
  const comparisonRules = {
    restUnits: rules.restAfterSweepUnits,
    feeUnits: feeUnitsOf(currency),
    sweepFeeUnits: sweepFeeUnitsOf(currency),
    previousHeight,
  };
  await ctx.tx(async (ctx) => {
    const heights = page.map(({ known }) => known?.height ?? previousHeight ?? -1);
    const spans = { ids: page.map(({ id }) => id), heights, height };
    const sums = await store.sumDeposits(ctx, rules, spans);
    const swept = await sumSwept(ctx, rules, spans);
    const unknown = await sumUnknown(ctx, rules, page, heights, balances);
    const changed: { id: bigint; known: KnownBalance }[] = [];
    const risen: bigint[] = [];
    for await (const { id, address, known } of inSlices(page)) {
      const { earlierUnits = 0n, laterUnits = 0n, byHandUnits = 0n } = sums.get(id) ?? {};
      const now = {
        height,
        balanceUnits: balances.units.get(address) ?? 0n,
        earlierDepositUnits: earlierUnits,
        laterDepositUnits: laterUnits,
        byHandUnits,
        unknownUnits: unknown && (unknown.get(address) ?? 0n),
        sweptUnits: swept.get(id)?.units ?? 0n,
        sweepCount: swept.get(id)?.count ?? 0n,
      };
      const next = compareBalance(known, now, comparisonRules);
      if (known || hasAmount(next)) changed.push({ id, known: next });
      if (next.unexplainedUnits > (known?.unexplainedUnits ?? 0n)) risen.push(id);
    }
    await store.saveKnownBalances(ctx, rules, changed);
    // Somebody pays to it: the next payment is seen at once, and a rescan finds this one.
    await addresses.extendWatches(ctx, risen, ctx.config.payments.watchMs);
    await store.saveProgress(ctx, rules, afterId, height);
  });
}

const hasAmount = ({ balanceUnits, depositUnits, byHandUnits, unexplainedUnits }: KnownBalance) =>
  balanceUnits + depositUnits + byHandUnits + unexplainedUnits > 0n;

/**
 * Payments in blocks that are still to be read would look as if they had been missed. Balances may be of a newer block than the last one that
 * was read: on TON always, and on BSC, where blocks are final sooner than they are read.
 */
async function waitUntilRead(
  ctx: Ctx,
  { chain }: CurrencyRules,
  watcher: ChainWatcher,
  { height, time }: Balances,
  waitMs: number,
): Promise<void> {
  const endsAtMs = performance.now() + waitMs;
  while (!(await isRead())) {
    if (performance.now() >= endsAtMs) throw new ChainUnavailable('LAGGING', `block ${height} is still to be read`);
    await pause(READ_ASKED_EVERY_MS);
  }

  async function isRead(): Promise<boolean> {
    const { scannedHeight, cursor } = await states.readState(ctx, chain);
    if (scannedHeight === null || cursor === null) return true;
    if (scannedHeight < BigInt(height)) return false;
    return !watcher.readUntil || !time || watcher.readUntil(cursor) >= time;
  }
}

/** The sum of unspent outputs that are no deposits, by address. @returns undefined on chains without outputs */
async function sumUnknown(
  ctx: Ctx,
  rules: CurrencyRules,
  page: readonly store.ComparedAddress[],
  heights: readonly number[],
  { outputs }: Balances,
): Promise<ReadonlyMap<string, bigint> | undefined> {
  if (!outputs) return undefined;
  const comparedAt = new Map(page.map(({ address }, index) => [address, heights[index]!]));
  const recent = outputs.filter(({ address, height }) => height > (comparedAt.get(address) ?? -1));
  const known = await store.listKnownOutputs(ctx, rules, recent);
  const sums = new Map<string, bigint>();
  for (const output of recent) {
    if (known.has(store.toOutputKey(output))) continue;
    sums.set(output.address, (sums.get(output.address) ?? 0n) + output.units);
  }
  return sums;
}
