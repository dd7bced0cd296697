import { INVOICE_FILTER_DOLLARS_MAX } from '@cellhop/contract/limits';
import { currencies, invoiceStatuses } from '@cellhop/contract/invoices.values';
import { invoiceSorts } from '@cellhop/contract/staff/lists.values';
import { IconReceipt2 } from '@tabler/icons-react';
import {
  dayParameter,
  idParameter,
  oneOf,
  pageSearch,
  type Search,
  textParameter,
} from '../../loading/search-values.ts';
import { momentsSearch } from '../staff-parts/continuation.ts';
import { someOf, type StaffScreenOf } from '../staff-parts/staff-screen.ts';

export const staffInvoicesScreen = {
  path: '/admin/payment/invoices',
  permission: 'PAYMENTS_READ',
  texts: ['staffMoney', 'payment'],
  search: staffInvoicesSearch,
  title: { en: 'Customer invoices', ru: 'Счета клиентов' },
  menuItem: { en: 'Invoices', ru: 'Счета' },
  waiting: 'invoices',
  Icon: IconReceipt2,
} as const satisfies StaffScreenOf<'GET /v1/payments/admin/invoices'>;

export type StaffInvoicesSearch = ReturnType<typeof staffInvoicesSearch>;

export function staffInvoicesSearch(search: Search) {
  return {
    ...pageSearch(search),
    ...momentsSearch(search),
    userId: idParameter(search['userId']),
    status: someOf(search['status'], invoiceStatuses),
    currency: someOf(search['currency'], currencies),
    from: dayParameter(search['from']),
    to: dayParameter(search['to']),
    min: amountParameter(search['min']),
    max: amountParameter(search['max']),
    sort: oneOf(search['sort'], invoiceSorts.slice(1)),
    /** The open invoice. */
    invoice: idParameter(search['invoice']),
  };
}

/** US dollars as the API accepts them. */
function amountParameter(value: unknown): number | undefined {
  const text = textParameter(value) ?? '';
  // Not `1e3` and `0x10`.
  const amount = /^\d{1,7}(?:\.\d{1,6})?$/.test(text) ? Number(text) : undefined;
  return amount !== undefined && amount <= INVOICE_FILTER_DOLLARS_MAX ? amount : undefined;
}
