import type { InvoiceStatus } from '@cellhop/contract/invoices.values';
import { useTranslation } from 'react-i18next';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';

export function InvoiceStatusBadge({ status }: { status: InvoiceStatus }) {
  const { t } = useTranslation('payment');
  return <StatusBadge tone={statusTones[status]} text={t(`statuses.${status}`)} />;
}

const statusTones: Record<InvoiceStatus, Tone> = {
  PENDING: 'warning',
  CONFIRMING: 'warning',
  PARTIALLY_PAID: 'warning',
  PAID: 'good',
  OVERPAID: 'good',
  EXPIRED: 'neutral',
};
