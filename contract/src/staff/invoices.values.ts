/** A leading minus: descending. */
export const invoiceSorts = ['-createdAt', 'createdAt', '-amount', 'amount'] as const;

export type InvoiceSort = (typeof invoiceSorts)[number];
