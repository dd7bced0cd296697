/** The status of an invoice, which follows from its deposits and the time. */
import type { InvoiceStatus } from '@cellhop/contract/invoices.values';
import type { Ctx } from '../../ctx.ts';
import { type CurrencyRules, currencyRules } from '../../payments/currencies.ts';
import { listCounted } from './deposit-lists.store.ts';
import * as store from './invoices.store.ts';

/** Only credited deposits make an invoice PAID, so that its money is always on the balance. */
export interface DepositAmount {
  units: bigint;
  isCredited: boolean;
}

export interface InvoiceState {
  dueUnits: bigint;
  rules: PaidRules;
  /** It has expired or was replaced by a newer invoice. */
  hasEnded: boolean;
  deposits: readonly DepositAmount[];
}

/** When an invoice is PAID. */
export type PaidRules = Pick<CurrencyRules, 'paidFromBasisPoints' | 'smallestPaymentUnits'>;

const WHOLE_BASIS_POINTS = 10_000n;
const OVERPAID_ABOVE_BASIS_POINTS = 10_100n;

/** The first matching rule (docs/payments.md). Tolerances only affect the status, never the credited amount. */
export function toStatus({ dueUnits, rules, hasEnded, deposits }: InvoiceState): InvoiceStatus {
  const credited = deposits.reduce((sum, { units, isCredited }) => (isCredited ? sum + units : sum), 0n);
  if (credited * WHOLE_BASIS_POINTS > dueUnits * OVERPAID_ABOVE_BASIS_POINTS) return 'OVERPAID';
  if (isEnough(credited, dueUnits, rules)) return 'PAID';
  if (deposits.some(({ isCredited }) => !isCredited)) return 'CONFIRMING';
  if (credited > 0n) return 'PARTIALLY_PAID';
  return hasEnded ? 'EXPIRED' : 'PENDING';
}

/** Whether the rest is within the tolerance, or too small to be sent. */
export function isEnough(
  units: bigint,
  dueUnits: bigint,
  { paidFromBasisPoints, smallestPaymentUnits }: PaidRules,
): boolean {
  const isRestTooSmall = units > 0n && dueUnits - units < smallestPaymentUnits;
  return isRestTooSmall || units * WHOLE_BASIS_POINTS >= dueUnits * paidFromBasisPoints;
}

export function isPaid(status: InvoiceStatus): boolean {
  return status === 'PAID' || status === 'OVERPAID';
}

/**
 * Updates the statuses of invoices from their deposits and the time, in the caller's transaction. Call it after writing the
 * deposits, so that of concurrent transactions the last one to get the lock sees all changes.
 * @returns the ids of the invoices that have become paid
 */
export async function updateStatuses(ctx: Ctx, invoiceIds: readonly string[]): Promise<string[]> {
  if (invoiceIds.length === 0) return [];
  const invoices = await store.lockInvoices(ctx, invoiceIds);
  const allDeposits = await listCounted(ctx, invoiceIds);
  const newlyPaid: string[] = [];
  for (const { id, userId, currency, dueUnits, hasEnded, status } of invoices) {
    const own = allDeposits.filter(({ invoice }) => invoice?.id === id);
    const next = toStatus({ dueUnits, rules: currencyRules[currency], hasEnded, deposits: own });
    await store.saveStatus(ctx, id, next, !hasEnded && !isPaid(next));
    // Also if the status stays the same, because the received amount may have changed.
    ctx.changed({ userId }, 'invoices');
    if (isPaid(next) && !isPaid(status)) newlyPaid.push(id);
  }
  return newlyPaid;
}
