import { currencies } from '@cellhop/contract/invoices.values';
import { invoiceSorts } from '@cellhop/contract/staff/invoices.values';
import { IconReceipt2 } from '@tabler/icons-react';
import { dayOf, idOf, oneOf, pageSearch, type Search, textOf, textsOf } from '../../loading/search-values.ts';
import { invoiceStatuses } from '../invoices/invoice-status-badge.tsx';
import { momentsSearch } from '../staff-parts/continuation.ts';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';

export const staffInvoicesScreen = {
  path: '/admin/payment/invoices',
  permission: 'PAYMENTS_READ',
  texts: ['staffMoney', 'payment'],
  search: staffInvoicesSearch,
  title: 'invoices',
  Icon: IconReceipt2,
} as const satisfies StaffScreenOf<'GET /v1/payments/admin/invoices'>;

export type StaffInvoicesSearch = ReturnType<typeof staffInvoicesSearch>;

function staffInvoicesSearch(search: Search) {
  const statuses = textsOf(search['status']).flatMap((status) => oneOf(status, invoiceStatuses) ?? []);
  const chosen = textsOf(search['currency']).flatMap((currency) => oneOf(currency, currencies) ?? []);
  return {
    ...pageSearch(search),
    ...momentsSearch(search),
    userId: idOf(search['userId']),
    status: statuses.length > 0 ? statuses : undefined,
    currency: chosen.length > 0 ? chosen : undefined,
    from: dayOf(search['from']),
    to: dayOf(search['to']),
    min: amountOf(search['min']),
    max: amountOf(search['max']),
    sort: oneOf(search['sort'], invoiceSorts.slice(1)),
    /** The open invoice. */
    invoice: idOf(search['invoice']),
  };
}

/** US dollars as the API accepts them. */
function amountOf(value: unknown): number | undefined {
  const amount = Number(textOf(value));
  return Number.isFinite(amount) && amount >= 0 && amount <= 1_000_000 ? amount : undefined;
}
