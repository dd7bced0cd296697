import type { Ctx } from '../../ctx.ts';
import { currencyRules } from '../../payments/currencies.ts';
import * as deposits from './invoice-deposits.store.ts';
import { isPaid, toStatus } from './invoice-status.ts';
import * as store from './invoices.store.ts';

/**
 * Updates the statuses of invoices from their deposits and the time, in the caller's transaction. Call it after writing the
 * deposits, so that of concurrent transactions the last one to get the lock sees all changes.
 * @returns the ids of the invoices that have become paid
 */
export async function updateStatuses(ctx: Ctx, invoiceIds: readonly string[]): Promise<string[]> {
  if (invoiceIds.length === 0) return [];
  const invoices = await store.lockInvoices(ctx, invoiceIds);
  const allDeposits = await deposits.listOfInvoices(ctx, invoiceIds);
  const newlyPaid: string[] = [];
  for (const { id, userId, currency, dueUnits, hasEnded, status } of invoices) {
    const { paidFromBasisPoints } = currencyRules[currency];
    const own = allDeposits.filter(({ invoiceId }) => invoiceId === id);
    const next = toStatus({ dueUnits, paidFromBasisPoints, hasEnded, deposits: own });
    await store.saveStatus(ctx, id, next, !hasEnded && !isPaid(next));
    // Also if the status stays the same, because the received amount may have changed.
    ctx.changed({ userId }, 'invoices');
    if (isPaid(next) && !isPaid(status)) newlyPaid.push(id);
  }
  return newlyPaid;
}
