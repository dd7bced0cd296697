/** Receipts of top-ups, for the customer's accountant. The function `number_top_up` numbers them when they are credited. */
import { AppError } from '@cellhop/contract/errors';
import type { TopUpReceipt } from '@cellhop/contract/invoices';
import { toDollars } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import type { Actor } from '../../http/actor.ts';
import { formatRate, formatUnits } from '../../payments/amounts.ts';
import { findByReceipt } from './deposit-lists.store.ts';
import { rulesOf } from './invoice-amounts.ts';

/** @throws AppError NOT_FOUND also for a receipt of somebody else */
export async function showReceipt(ctx: Ctx, { userId }: Actor, number: number): Promise<TopUpReceipt> {
  const deposit = await findByReceipt(ctx, userId, number);
  if (!deposit) throw new AppError('NOT_FOUND', { thing: 'Receipt' });
  const rules = rulesOf(deposit);
  return {
    number,
    creditedAt: deposit.creditedAt!.toISOString(),
    amount: toDollars(deposit.creditedMicros!),
    currency: rules.currency,
    amountInCurrency: formatUnits(deposit.units, rules),
    rate: formatRate(deposit.creditedRateE12!),
    transactionId: deposit.isByHand ? null : deposit.transactionId,
    invoiceId: deposit.invoice?.id ?? null,
    reversedAt: deposit.reversedAt?.toISOString() ?? null,
  };
}
