import type { TicketStatus } from '@cellhop/contract/tickets';
import { useTranslation } from 'react-i18next';
import { StatusBadge } from '../../ui/status-badge.tsx';

export function TicketStatusBadge({ status }: { status: TicketStatus }) {
  const { t } = useTranslation('support');
  return <StatusBadge tone={status === 'OPEN' ? 'good' : 'neutral'} text={t(`statuses.${status}`)} />;
}
