export { currencies, type Currency } from './chains.ts';

export const invoiceStatuses = ['PENDING', 'CONFIRMING', 'PARTIALLY_PAID', 'PAID', 'OVERPAID', 'EXPIRED'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];
