/** What a payer can do about an invoice, and what he is told, at a moment of its time. */
import type { Invoice, InvoiceStatus } from '@cellhop/contract/invoices';

/** An unpaid invoice is over when its time is; the server says so a moment later. */
export function shownStatus({ status }: Pick<Invoice, 'status'>, hasTime: boolean): InvoiceStatus {
  return status === 'PENDING' && !hasTime ? 'EXPIRED' : status;
}

/** The decimal text to send now, or undefined where nothing more is asked for. */
export function amountToSend(
  { status, amountInCurrency, payment }: Pick<Invoice, 'status' | 'amountInCurrency' | 'payment'>,
  hasTime: boolean,
): string | undefined {
  if (!hasTime) return undefined;
  return status === 'PENDING' ? amountInCurrency : (payment?.missing ?? undefined);
}

/** How much of what is due has been seen, in percent; for a drawing, which needs no exact number. */
export function receivedPercent({ amountInCurrency, payment }: Pick<Invoice, 'amountInCurrency' | 'payment'>): number {
  const share = Number(payment?.received ?? 0) / Number(amountInCurrency);
  return Math.min(100, Math.max(1, share * 100));
}
