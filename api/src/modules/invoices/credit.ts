/** Credits final deposits to the balances of their users. */
import { toDollars } from '@cellhop/contract/units';
import assert from 'node:assert/strict';
import type { Ctx } from '../../ctx.ts';
import { toCreditMicros } from '../../payments/amounts.ts';
import { currencyRules, findCurrency, type Chain, type CurrencyRules } from '../../payments/currencies.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { notify } from '../notifications/notifications.service.ts';
import * as bonus from '../referrals/bonus.service.ts';
import { rates } from './chains.ts';
import { chooseCreditRate } from './credit-rate.ts';
import * as deposits from './deposits.store.ts';
import * as store from './invoices.store.ts';
import { updateStatuses } from './status-updates.ts';

const DEPOSITS_PER_BATCH = 500;

/**
 * Credits every final deposit of a chain. Failures are logged and retried. Neither they nor deposits without a rate delay the
 * others.
 */
export async function creditFinalDeposits(ctx: Ctx, chain: Chain): Promise<void> {
  let afterId: string | null = null;
  while (true) {
    const page: deposits.FinalDeposit[] = await deposits.listFinal(ctx, chain, afterId, DEPOSITS_PER_BATCH);
    for (const deposit of page) await tryToCredit(ctx, chain, deposit);
    if (page.length < DEPOSITS_PER_BATCH) return;
    afterId = page.at(-1)!.id;
  }
}

async function tryToCredit(ctx: Ctx, chain: Chain, { id, asset, hasKnownRate }: deposits.FinalDeposit): Promise<void> {
  try {
    const currency = findCurrency(chain, asset);
    assert(currency, `deposit ${id} is of the unknown asset ${asset}`);
    const rules = currencyRules[currency];
    // Fetched outside the transaction; used if there was no rate when the payment arrived.
    const currentRateE12 = await rates.rateE12(currency);
    if (currentRateE12 === undefined && !hasKnownRate && !rules.isStable) return;
    await creditDeposit(ctx, id, rules, currentRateE12);
  } catch (error) {
    ctx.log.error({ err: error, depositId: id }, 'deposit could not be credited');
  }
}

/** One transaction. Lock order: the deposit, its invoice, customers' accounts, system accounts. */
function creditDeposit(ctx: Ctx, id: string, rules: CurrencyRules, currentRateE12: bigint | undefined): Promise<void> {
  return ctx.tx(async (ctx) => {
    const deposit = await deposits.lockFinal(ctx, id);
    if (!deposit) return;
    const invoiceIds = deposit.invoiceId === null ? [] : [deposit.invoiceId];
    const [invoice] = await store.lockInvoices(ctx, invoiceIds);
    const arrivalRateE12 = deposit.arrivalRateE12 ?? currentRateE12;
    const rateE12 = chooseCreditRate(rules, arrivalRateE12, deposit.arrivedAt, invoice);
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
  const reward = await bonus.bonusTransfer(ctx, topUp, deposit.userId);
  const posted = await ledger.post(ctx, reward ? [topUp, reward] : [topUp]);
  assert(posted.has(topUp.idempotencyKey), `deposit ${deposit.id} was already credited`);
}
