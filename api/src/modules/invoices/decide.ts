/** Decides which final deposits are credited now. What is large, in doubt or not worth its dollar is suspended. */
import type { Ctx } from '../../ctx.ts';
import { ChainUnavailable, type ChainWatcher } from '../../payments/chains/watcher.ts';
import type { Chain } from '../../payments/currencies.ts';
import { notify } from '../notifications/notifications.service.ts';
import { readState } from './chain-states.store.ts';
import { rateSource } from './chains.ts';
import { creditDeposit } from './credit.ts';
import * as changes from './deposit-changes.store.ts';
import {
  hasWaitingForPeg,
  isSettledByHand,
  listCreditable,
  type OwnedDeposit,
  type SuspensionReason,
} from './deposits.store.ts';
import { highestValueMicros, rulesOf } from './invoice-amounts.ts';
import { restoreDeposit } from './reversal.ts';

const DEPOSITS_PER_BATCH = 500;
/** Larger credits need the same fact from a second source, if there is one. */
const CONFIRMED_ABOVE_MICROS = 500_000_000n;
const CONFIRM_LIMIT_MS = 20_000;

/**
 * Credits every final deposit of a chain. Failures are logged and retried. Neither they nor deposits without a rate delay the
 * others.
 */
export async function creditFinalDeposits(ctx: Ctx, chain: Chain, watcher: ChainWatcher): Promise<void> {
  await resumeAtPeg(ctx, chain);
  for (const state of ['REVERSED', 'FINAL'] as const) {
    let afterId: string | null = null;
    while (true) {
      const page: OwnedDeposit[] = await listCreditable(ctx, chain, state, afterId, DEPOSITS_PER_BATCH);
      if (page.length > 0 && (await readState(ctx, chain)).pausedAt !== null) return;
      for (const deposit of page) await tryToCredit(ctx, deposit, watcher);
      if (page.length < DEPOSITS_PER_BATCH) break;
      afterId = page.at(-1)!.id;
    }
  }
}

async function tryToCredit(ctx: Ctx, deposit: OwnedDeposit, watcher: ChainWatcher): Promise<void> {
  const { id, arrivedAt } = deposit;
  try {
    const { currency } = rulesOf(deposit);
    // Read outside the transaction. If there was no rate at the arrival, the first later one.
    const arrivalRateE12 = deposit.arrivalRateE12 ?? (await rateSource(ctx).rateE12At(currency, arrivedAt));
    if (!(await mayBeCredited(ctx, { ...deposit, arrivalRateE12 }, watcher))) return;
    if (deposit.state === 'REVERSED') await restoreDeposit(ctx, deposit);
    else await creditDeposit(ctx, deposit, arrivalRateE12);
  } catch (error) {
    if (error instanceof ChainUnavailable)
      ctx.log.warn({ depositId: id, detail: error.message }, 'deposit could not be confirmed by a second source');
    else ctx.log.error({ err: error, depositId: id }, 'deposit could not be credited');
  }
}

/** Otherwise it waits for a rate, or is suspended. @throws ChainUnavailable */
async function mayBeCredited(ctx: Ctx, deposit: OwnedDeposit, watcher: ChainWatcher): Promise<boolean> {
  const { isStable } = rulesOf(deposit);
  if (deposit.state === 'FINAL') {
    if (!isStable && !deposit.invoice && deposit.arrivalRateE12 === undefined) return false;
    if (isStable && deposit.decidedRateE12 === undefined && !(await isWorthPar(ctx, deposit))) return false;
  }
  if (deposit.isResumed) return true;
  const reason = await findReason(ctx, deposit, watcher);
  if (reason) await changes.suspend(ctx, deposit.id, reason);
  return reason === undefined;
}

/** Why the operator must look at it first. */
async function findReason(
  ctx: Ctx,
  deposit: OwnedDeposit,
  watcher: ChainWatcher,
): Promise<SuspensionReason | undefined> {
  if (await isSettledByHand(ctx, deposit.id)) return 'SETTLED';
  const valueMicros = highestValueMicros(deposit);
  const { holdAboveMicros } = ctx.config.payments;
  if (holdAboveMicros !== undefined && (valueMicros === undefined || valueMicros > holdAboveMicros)) return 'LARGE';
  if (valueMicros !== undefined && valueMicros <= CONFIRMED_ABOVE_MICROS) return undefined;
  if ((await watcher.confirm(deposit, AbortSignal.timeout(CONFIRM_LIMIT_MS))) !== false) return undefined;
  const { id, chain } = deposit;
  ctx.log.error({ depositId: id, chain }, 'a second source does not know a large payment: it is suspended');
  return 'SOURCES_DISAGREE';
}

/**
 * Whether one dollar may be credited for the stablecoin now; otherwise the deposit is suspended. The customer is told if the price is known: a
 * short outage of the sources of rates is over before anybody could do something.
 */
async function isWorthPar(ctx: Ctx, { id, userId }: OwnedDeposit): Promise<boolean> {
  const peg = await rateSource(ctx).peg();
  if (peg.isKept) return true;
  await ctx.tx(async (ctx) => {
    if (!(await changes.suspend(ctx, id, 'DEPEG'))) return;
    ctx.changed({ userId }, 'invoices');
    if (peg.marketE12 === undefined) return;
    await notify(ctx, userId, `deposit-held:${id}`, { kind: 'TOP_UP_HELD', details: {} });
  });
  return false;
}

/** Resumes the payments of a chain if the peg has returned. */
async function resumeAtPeg(ctx: Ctx, chain: Chain): Promise<void> {
  if (!(await hasWaitingForPeg(ctx, chain)) || !(await rateSource(ctx).peg()).isKept) return;
  await changes.resumeAtPeg(ctx, chain);
}
