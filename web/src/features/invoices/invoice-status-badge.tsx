import type { InvoiceStatus } from '@cellhop/contract/invoices';
import { useTranslation } from 'react-i18next';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { statusTones } from './invoice-statuses.ts';

export function InvoiceStatusBadge({ status }: { status: InvoiceStatus }) {
  const { t } = useTranslation('payment');
  return <StatusBadge tone={statusTones[status]} text={t(`statuses.${status}`)} />;
}
