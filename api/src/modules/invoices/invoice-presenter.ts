import type { Invoice, InvoicePayment, adminInvoiceSchema } from '@cellhop/contract/invoices';
import { toDollars } from '@cellhop/contract/units';
import type { z } from 'zod';
import { formatUnits } from '../../payments/amounts.ts';
import { isSandboxAddress } from '../../dev/sandbox-chain.ts';
import { currencyRules } from '../../payments/currencies.ts';
import type { InvoiceDeposit } from './deposits.store.ts';
import { summarizePayment } from './payment-summary.ts';
import type { InvoiceRow } from './invoices.store.ts';

/** @param deposits of this invoice */
export function presentInvoice(row: InvoiceRow, deposits: readonly InvoiceDeposit[]): Invoice {
  return {
    id: row.id,
    amount: toDollars(row.amountMicros),
    amountInCurrency: formatUnits(row.dueUnits, currencyRules[row.currency]),
    currency: row.currency,
    address: row.address,
    status: row.status,
    isSandbox: isSandboxAddress(row.address),
    payment: presentPayment(row, deposits),
    expiredAt: row.expiredAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
  };
}

export function presentForAdmin(
  row: InvoiceRow,
  deposits: readonly InvoiceDeposit[],
): z.output<typeof adminInvoiceSchema> {
  return { ...presentInvoice(row, deposits), user: { id: row.userId, email: row.userEmail } };
}

function presentPayment(row: InvoiceRow, deposits: readonly InvoiceDeposit[]): InvoicePayment | null {
  if (deposits.length === 0) return null;
  const rules = currencyRules[row.currency];
  const { receivedUnits, confirmingUnits, missingUnits, excessUnits, creditedMicros, isLate } = summarizePayment(
    { ...row, deposits },
    rules,
  );
  const orNull = (units: bigint) => (units === 0n ? null : formatUnits(units, rules));
  return {
    received: formatUnits(receivedUnits, rules),
    confirming: formatUnits(confirmingUnits, rules),
    missing: orNull(missingUnits),
    excess: orNull(excessUnits),
    credited: toDollars(creditedMicros),
    isLate,
  };
}
