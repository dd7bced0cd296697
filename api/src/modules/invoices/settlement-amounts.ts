import type { Currency } from '@cellhop/contract/invoices.values';
import type { InvoiceStatus } from '@cellhop/contract/invoices';
import { toCreditMicros } from '../../payments/amounts.ts';
import { currencyRules } from '../../payments/currencies.ts';
import { isPaid } from './invoice-status.ts';

/** A part of an invoice: in its currency, and in dollars. */
export interface Amounts {
  units: bigint;
  amountMicros: bigint;
}

interface Payable {
  currency: Currency;
  status: InvoiceStatus;
  amountMicros: bigint;
  dueUnits: bigint;
  rateE12: bigint;
}

/** The amount still due, or zero. Payments that are not final yet count, because they will be credited. */
export function amountDue(invoice: Payable, deposits: readonly { units: bigint }[]): Amounts {
  const receivedUnits = deposits.reduce((sum, { units }) => sum + units, 0n);
  if (isPaid(invoice.status) || receivedUnits >= invoice.dueUnits) return { units: 0n, amountMicros: 0n };
  const units = invoice.dueUnits - receivedUnits;
  const worthMicros = toCreditMicros(units, invoice.rateE12, currencyRules[invoice.currency]);
  // The due units are rounded up, so they may be worth a little more than the invoice.
  return { units, amountMicros: worthMicros < invoice.amountMicros ? worthMicros : invoice.amountMicros };
}
