import type { InvoiceStatus } from '@cellhop/contract/invoices';
import type { Tone } from '../../ui/status-badge.tsx';

export const statusTones: Record<InvoiceStatus, Tone> = {
  PENDING: 'warning',
  CONFIRMING: 'warning',
  PARTIALLY_PAID: 'warning',
  PAID: 'good',
  OVERPAID: 'good',
  EXPIRED: 'neutral',
};

export const invoiceStatuses = Object.keys(statusTones) as InvoiceStatus[];
