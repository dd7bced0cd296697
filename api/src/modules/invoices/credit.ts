/** Credits a final deposit to the balance of its user. */
import { toDollars } from '@cellhop/contract/units';
import assert from 'node:assert/strict';
import type { Ctx } from '../../ctx.ts';
import { PAR_RATE_E12, toCreditMicros } from '../../payments/amounts.ts';
import type { CurrencyRules } from '../../payments/currencies.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { findRecipient } from '../billing/alerts.service.ts';
import { sendAfterwards } from '../mails/mails.service.ts';
import { notify } from '../notifications/notifications.service.ts';
import * as bonus from '../referrals/levels.service.ts';
import { saveCredited } from './deposit-changes.store.ts';
import { lockFinal, type OwnedDeposit } from './deposits.store.ts';
import { rulesOf } from './invoice-amounts.ts';
import { updateStatuses } from './invoice-status.ts';
import * as store from './invoices.store.ts';

/**
 * One transaction. Lock order: the deposit, its invoice, customers' accounts, system accounts.
 * @param block the one that was confirmed
 */
export function creditDeposit(
  ctx: Ctx,
  { id, block }: OwnedDeposit,
  arrivalRateE12: bigint | undefined,
): Promise<void> {
  return ctx.tx(async (ctx) => {
    const deposit = await lockFinal(ctx, id);
    // A deposit that moved to another block needs a new confirmation.
    if (!deposit || deposit.block?.hash !== block?.hash) return;
    const rules = rulesOf(deposit);
    const invoiceIds = deposit.invoice ? [deposit.invoice.id] : [];
    const [invoice] = await store.lockInvoices(ctx, invoiceIds);
    const rateE12 = deposit.decidedRateE12 ?? chooseCreditRate(rules, arrivalRateE12, deposit.arrivedAt, invoice);
    // Without a rate the deposit stays final and is retried.
    if (rateE12 === undefined) return;
    const amountMicros = toCreditMicros(deposit.units, rateE12, rules);
    await saveCredited(ctx, id, amountMicros, rateE12);
    for (const paidId of await updateStatuses(ctx, invoiceIds)) await bonus.recordPayment(ctx, paidId, deposit.userId);
    await postTopUp(ctx, deposit, amountMicros);
  });
}

/**
 * The rate at which a payment is credited. Before the invoice's expiry it is the invoice's rate; after that the lower of this and the
 * rate on arrival, so that payers gain nothing by waiting for a better rate.
 * @param arrivalRateE12 undefined if there is no rate
 * @param invoice undefined for a payment without an invoice
 * @returns undefined if the payment must wait for a rate
 */
export function chooseCreditRate(
  { isStable }: Pick<CurrencyRules, 'isStable'>,
  arrivalRateE12: bigint | undefined,
  arrivedAt: Date,
  invoice: { rateE12: bigint; expiredAt: Date } | undefined,
): bigint | undefined {
  if (isStable) return PAR_RATE_E12;
  if (invoice && arrivedAt < invoice.expiredAt) return invoice.rateE12;
  if (!invoice || arrivalRateE12 === undefined) return arrivalRateE12;
  return invoice.rateE12 < arrivalRateE12 ? invoice.rateE12 : arrivalRateE12;
}

/** Credits a deposit to its user, and the bonus to their referrer: the last change of the transaction. */
export async function postTopUp(
  ctx: Ctx,
  deposit: Pick<OwnedDeposit, 'id' | 'userId' | 'accountId'>,
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
