import type { InvoiceStatus } from '@cellhop/contract/invoices';

/** A payment is certain for an invoice once it is credited: who reads PAID finds the money on his balance. */
export interface InvoicePayment {
  units: bigint;
  isCredited: boolean;
}

export interface InvoiceFacts {
  dueUnits: bigint;
  /** From this share of the due units on it is PAID, in hundredths of a percent. */
  paidFromBasisPoints: bigint;
  /** True once its time has passed or a newer invoice has taken its place. */
  hasEnded: boolean;
  payments: readonly InvoicePayment[];
}

const WHOLE_BASIS_POINTS = 10_000n;
const OVERPAID_ABOVE_BASIS_POINTS = 10_100n;

/** The first rule that holds (docs/payments.md). Tolerances decide this label alone, never what is credited. */
export function toStatus({ dueUnits, paidFromBasisPoints, hasEnded, payments }: InvoiceFacts): InvoiceStatus {
  const credited = payments.reduce((sum, { units, isCredited }) => (isCredited ? sum + units : sum), 0n);
  if (credited * WHOLE_BASIS_POINTS > dueUnits * OVERPAID_ABOVE_BASIS_POINTS) return 'OVERPAID';
  if (credited * WHOLE_BASIS_POINTS >= dueUnits * paidFromBasisPoints) return 'PAID';
  if (payments.some(({ isCredited }) => !isCredited)) return 'CONFIRMING';
  if (credited > 0n) return 'PARTIALLY_PAID';
  return hasEnded ? 'EXPIRED' : 'PENDING';
}

export function isPaid(status: InvoiceStatus): boolean {
  return status === 'PAID' || status === 'OVERPAID';
}
