import type { Invoice, adminInvoiceSchema } from '@cellhop/contract/invoices';
import { toDollars } from '@cellhop/contract/units';
import type { z } from 'zod';
import { formatUnits } from '../../payments/amounts.ts';
import { isSandboxAddress } from '../../payments/chains/sandbox.ts';
import { currencyRules } from '../../payments/currencies.ts';
import type { InvoiceRow } from './invoices.store.ts';

export function presentInvoice(row: InvoiceRow): Invoice {
  return {
    id: row.id,
    amount: toDollars(row.amountMicros),
    amountInCurrency: formatUnits(row.dueUnits, currencyRules[row.currency]),
    currency: row.currency,
    address: row.address,
    status: row.status,
    isSandbox: isSandboxAddress(row.address),
    expiredAt: row.expiredAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
  };
}

export function presentForAdmin(row: InvoiceRow): z.output<typeof adminInvoiceSchema> {
  return { ...presentInvoice(row), user: { id: row.userId, email: row.userEmail } };
}
