import { plain } from '../endpoint.ts';
import type * as full from './invoices.ts';

/** A leading minus: descending. */
export const invoiceSorts = ['-createdAt', 'createdAt', '-amount', 'amount'] as const;

export type InvoiceSort = (typeof invoiceSorts)[number];

export const listAllInvoices = plain<typeof full.listAllInvoices>({
  method: 'GET',
  url: '/v1/payments/admin/invoices',
  access: { permission: 'PAYMENTS_READ' },
});
export const getAnyInvoice = plain<typeof full.getAnyInvoice>({
  method: 'GET',
  url: '/v1/payments/admin/invoices/{id}',
  access: { permission: 'PAYMENTS_READ' },
});
export const settleInvoice = plain<typeof full.settleInvoice>({
  method: 'POST',
  url: '/v1/payments/admin/invoices/{id}/settle',
  access: { permission: 'PAYMENTS_EDIT' },
});
