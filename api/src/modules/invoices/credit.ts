/** Credits final deposits to the balances of their users. */
import { toDollars } from '@cellhop/contract/units';
import assert from 'node:assert/strict';
import type { Ctx } from '../../ctx.ts';
import { toCreditMicros } from '../../payments/amounts.ts';
import { ChainUnavailable, type ChainWatcher } from '../../payments/chains/watcher.ts';
import { currencyRules, findCurrency, type Chain, type CurrencyRules } from '../../payments/currencies.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { findRecipient } from '../billing/alerts.service.ts';
import { sendAfterwards } from '../mails/mails.service.ts';
import { notify } from '../notifications/notifications.service.ts';
import * as bonus from '../referrals/levels.service.ts';
import { readState } from './chain-states.store.ts';
import { rateSource } from './chains.ts';
import { chooseCreditRate, highestValueMicros } from './invoice-amounts.ts';
import * as deposits from './deposits.store.ts';
import { resumeAtPeg, isWorthPar } from './suspended-payments.service.ts';
import { isSettledByHand, suspend } from './suspended-payments.store.ts';
import * as store from './invoices.store.ts';
import { restoreDeposit } from './reversal.ts';
import { updateStatuses } from './invoice-status.ts';

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
      const page: deposits.FinalDeposit[] = await deposits.listCreditable(
        ctx,
        chain,
        state,
        afterId,
        DEPOSITS_PER_BATCH,
      );
      if (page.length > 0 && (await readState(ctx, chain)).pausedAt !== null) return;
      for (const deposit of page) await tryToCredit(ctx, chain, state, deposit, watcher);
      if (page.length < DEPOSITS_PER_BATCH) break;
      afterId = page.at(-1)!.id;
    }
  }
}

async function tryToCredit(
  ctx: Ctx,
  chain: Chain,
  state: deposits.CreditableState,
  deposit: deposits.FinalDeposit,
  watcher: ChainWatcher,
): Promise<void> {
  const { id, asset, arrivedAt } = deposit;
  try {
    const currency = findCurrency(chain, asset);
    assert(currency, `deposit ${id} is of the unknown asset ${asset}`);
    // Read outside the transaction. If there was no rate at the arrival, the first later one.
    const arrivalRateE12 = deposit.arrivalRateE12 ?? (await rateSource(ctx).rateE12At(currency, arrivedAt));
    const needsRate = state === 'FINAL' && !currencyRules[currency].isStable && !deposit.invoice;
    if (arrivalRateE12 === undefined && needsRate) return;
    const isAtPar = currencyRules[currency].isStable && deposit.decidedRateE12 === undefined;
    if (state === 'FINAL' && isAtPar && !(await isWorthPar(ctx, deposit))) return;
    if (!(await isConfirmed(ctx, chain, { ...deposit, arrivalRateE12 }, watcher))) return;
    if (state === 'REVERSED') await restoreDeposit(ctx, deposit);
    else await creditDeposit(ctx, deposit, currencyRules[currency], arrivalRateE12);
  } catch (error) {
    if (error instanceof ChainUnavailable)
      ctx.log.warn({ depositId: id, detail: error.message }, 'deposit could not be confirmed by a second source');
    else ctx.log.error({ err: error, depositId: id }, 'deposit could not be credited');
  }
}

/** Whether the deposit may be credited; otherwise it is suspended for the operator. */
async function isConfirmed(
  ctx: Ctx,
  chain: Chain,
  deposit: deposits.FinalDeposit,
  watcher: ChainWatcher,
): Promise<boolean> {
  if (deposit.isResumed) return true;
  if (await isSettledByHand(ctx, deposit.id)) {
    await suspend(ctx, deposit.id, 'SETTLED');
    return false;
  }
  const valueMicros = highestValueMicros(chain, deposit);
  const { holdAboveMicros } = ctx.config.payments;
  if (holdAboveMicros !== undefined && (valueMicros === undefined || valueMicros > holdAboveMicros)) {
    await suspend(ctx, deposit.id, 'LARGE');
    return false;
  }
  if (valueMicros !== undefined && valueMicros <= CONFIRMED_ABOVE_MICROS) return true;
  const { blockHeight, blockHash, blockAt } = deposit;
  const block =
    blockHeight !== null && blockHash !== null && blockAt !== null
      ? { height: Number(blockHeight), hash: blockHash, time: blockAt }
      : undefined;
  const isKnown = await watcher.confirm({ ...deposit, block }, AbortSignal.timeout(CONFIRM_LIMIT_MS));
  if (isKnown !== false) return true;
  ctx.log.error({ depositId: deposit.id, chain }, 'a second source does not know a large payment: it is suspended');
  await suspend(ctx, deposit.id, 'SOURCES_DISAGREE');
  return false;
}

/** One transaction. Lock order: the deposit, its invoice, customers' accounts, system accounts. */
function creditDeposit(
  ctx: Ctx,
  { id, blockHash }: deposits.FinalDeposit,
  rules: CurrencyRules,
  arrivalRateE12: bigint | undefined,
): Promise<void> {
  return ctx.tx(async (ctx) => {
    const deposit = await deposits.lockFinal(ctx, id);
    // A deposit that moved to another block needs a new confirmation.
    if (!deposit || deposit.blockHash !== blockHash) return;
    const invoiceIds = deposit.invoiceId === null ? [] : [deposit.invoiceId];
    const [invoice] = await store.lockInvoices(ctx, invoiceIds);
    const rateE12 = deposit.decidedRateE12 ?? chooseCreditRate(rules, arrivalRateE12, deposit.arrivedAt, invoice);
    // Without a rate the deposit stays final and is retried.
    if (rateE12 === undefined) return;
    const amountMicros = toCreditMicros(deposit.units, rateE12, rules);
    await deposits.saveCredited(ctx, id, amountMicros, rateE12);
    for (const paidId of await updateStatuses(ctx, invoiceIds)) await bonus.recordPayment(ctx, paidId, deposit.userId);
    await postTopUp(ctx, deposit, amountMicros);
  });
}

/** Credits a deposit to its user, and the bonus to their referrer: the last change of the transaction. */
export async function postTopUp(
  ctx: Ctx,
  deposit: Pick<deposits.LockedDeposit, 'id' | 'userId' | 'accountId'>,
  amountMicros: bigint,
): Promise<void> {
  // Worth less than a micro-dollar: there is nothing to post.
  if (amountMicros === 0n) return;
  const topUp: ledger.Transfer = {
    idempotencyKey: `deposit:${deposit.id}`,
    debitAccountId: ledger.systemAccounts.external,
    creditAccountId: deposit.accountId,
    amountMicros,
    reason: 'TOP_UP',
  };
  await notify(ctx, deposit.userId, topUp.idempotencyKey, {
    kind: 'TOP_UP',
    details: { amount: toDollars(amountMicros) },
  });
  await mailTopUp(ctx, deposit.userId, toDollars(amountMicros));
  const reward = await bonus.bonusTransfer(ctx, topUp, deposit.userId);
  const posted = await ledger.post(ctx, reward ? [topUp, reward] : [topUp]);
  assert(posted.has(topUp.idempotencyKey), `deposit ${deposit.id} was already credited`);
}

async function mailTopUp(ctx: Ctx, userId: string, amount: number): Promise<void> {
  const recipient = await findRecipient(ctx, userId, 'mailsTopUps');
  const values = { link: `${ctx.config.publicUrl}/transactions`, amount };
  if (recipient) await sendAfterwards(ctx, userId, { ...recipient, template: 'top-up', values });
}
