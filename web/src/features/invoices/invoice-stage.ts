/** The stage of an invoice, which determines what its payer sees and can do. */
import type { Invoice } from '@cellhop/contract/invoices';
import type { InvoiceStatus } from '@cellhop/contract/invoices.values';

/** An unpaid invoice is shown as expired when its time is up, before the server updates its status. */
export function shownStatus({ status }: Pick<Invoice, 'status'>, hasTime: boolean): InvoiceStatus {
  return status === 'PENDING' && !hasTime ? 'EXPIRED' : status;
}

/** The amount to send now as a decimal string; undefined if there is none. */
export function amountToSend(
  { status, amountInCurrency, payment }: Pick<Invoice, 'status' | 'amountInCurrency' | 'payment'>,
  hasTime: boolean,
): string | undefined {
  if (!hasTime) return undefined;
  return status === 'PENDING' ? amountInCurrency : (payment?.missing ?? undefined);
}

/** Percentage of the due amount that was received; only for a progress bar, so it need not be exact. */
export function receivedPercent({ amountInCurrency, payment }: Pick<Invoice, 'amountInCurrency' | 'payment'>): number {
  const share = Number(payment?.received ?? 0) / Number(amountInCurrency);
  return Math.min(100, Math.max(1, share * 100));
}
