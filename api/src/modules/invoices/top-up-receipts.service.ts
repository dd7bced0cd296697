/** Receipts of top-ups, for the customer's accountant. The function `number_top_up` numbers them when they are credited. */
import { AppError } from '@cellhop/contract/errors';
import type { TopUpReceipt } from '@cellhop/contract/invoices';
import { toDollars } from '@cellhop/contract/units';
import assert from 'node:assert/strict';
import type { Ctx } from '../../ctx.ts';
import type { Actor } from '../../http/actor.ts';
import { formatRate, formatUnits } from '../../payments/amounts.ts';
import { currencyRules, findCurrency } from '../../payments/currencies.ts';
import * as store from './top-up-receipts.store.ts';

/** @throws AppError NOT_FOUND also for a receipt of somebody else */
export async function showReceipt(ctx: Ctx, { userId }: Actor, number: number): Promise<TopUpReceipt> {
  const row = await store.findReceipt(ctx, userId, number);
  if (!row) throw new AppError('NOT_FOUND', { thing: 'Receipt' });
  const currency = findCurrency(row.chain, row.asset);
  assert(currency, `receipt ${number} is of the unknown asset ${row.asset}`);
  return {
    number,
    creditedAt: row.creditedAt.toISOString(),
    amount: toDollars(row.creditedMicros),
    currency,
    amountInCurrency: formatUnits(row.units, currencyRules[currency]),
    rate: formatRate(row.creditedRateE12),
    transactionId: row.transactionId,
    invoiceId: row.invoiceId,
    reversedAt: row.reversedAt?.toISOString() ?? null,
  };
}
