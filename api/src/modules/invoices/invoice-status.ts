import type { InvoiceStatus } from '@cellhop/contract/invoices';

/** Only credited deposits make an invoice PAID, so that its money is always on the balance. */
export interface DepositAmount {
  units: bigint;
  isCredited: boolean;
}

export interface InvoiceState {
  dueUnits: bigint;
  /** The share of the due units from which it is PAID. */
  paidFromBasisPoints: bigint;
  /** It has expired or was replaced by a newer invoice. */
  hasEnded: boolean;
  deposits: readonly DepositAmount[];
}

const WHOLE_BASIS_POINTS = 10_000n;
const OVERPAID_ABOVE_BASIS_POINTS = 10_100n;

/** The first matching rule (docs/payments.md). Tolerances only affect the status, never the credited amount. */
export function toStatus({ dueUnits, paidFromBasisPoints, hasEnded, deposits }: InvoiceState): InvoiceStatus {
  const credited = deposits.reduce((sum, { units, isCredited }) => (isCredited ? sum + units : sum), 0n);
  if (credited * WHOLE_BASIS_POINTS > dueUnits * OVERPAID_ABOVE_BASIS_POINTS) return 'OVERPAID';
  if (credited * WHOLE_BASIS_POINTS >= dueUnits * paidFromBasisPoints) return 'PAID';
  if (deposits.some(({ isCredited }) => !isCredited)) return 'CONFIRMING';
  if (credited > 0n) return 'PARTIALLY_PAID';
  return hasEnded ? 'EXPIRED' : 'PENDING';
}

export function isPaid(status: InvoiceStatus): boolean {
  return status === 'PAID' || status === 'OVERPAID';
}
