import type { Ctx } from '../../ctx.ts';
import { currencyRules } from '../../payments/currencies.ts';
import * as deposits from './deposits.store.ts';
import { isPaid, toStatus } from './invoice-status.ts';
import * as store from './invoices.store.ts';

/**
 * Brings the statuses of invoices in line with their deposits and the clock, in the caller's transaction. Call it after
 * the deposits were written: the last one to get the lock then sees what all the others did.
 * @returns the ids of those that are paid now and were not before
 */
export async function refreshStatuses(ctx: Ctx, invoiceIds: readonly string[]): Promise<string[]> {
  if (invoiceIds.length === 0) return [];
  const invoices = await store.lockInvoices(ctx, invoiceIds);
  const payments = await deposits.listOfInvoices(ctx, invoiceIds);
  const newlyPaid: string[] = [];
  for (const { id, userId, currency, dueUnits, hasEnded, status } of invoices) {
    const { paidFromBasisPoints } = currencyRules[currency];
    const own = payments.filter((payment) => payment.invoiceId === id);
    const next = toStatus({ dueUnits, paidFromBasisPoints, hasEnded, payments: own });
    await store.saveStatus(ctx, id, next, !hasEnded && !isPaid(next));
    // Also when the word stays the same: what has been seen may have become more.
    ctx.changed({ userId }, 'invoices');
    if (isPaid(next) && !isPaid(status)) newlyPaid.push(id);
  }
  return newlyPaid;
}
