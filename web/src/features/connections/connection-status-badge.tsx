import type { ConnectionStatus } from '@cellhop/contract/connections';
import { useTranslation } from 'react-i18next';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';

const tones: Record<ConnectionStatus, Tone> = {
  WORK: 'good',
  NOT_WORK: 'neutral',
  DISCONNECT_USER: 'neutral',
  DISCONNECT_ADMIN: 'warning',
  NO_MONEY: 'warning',
};

interface ConnectionStatusBadgeProps {
  status: ConnectionStatus;
  /** For readers other than the customer. */
  text?: string;
}

export function ConnectionStatusBadge({ status, text }: ConnectionStatusBadgeProps) {
  const { t } = useTranslation('proxyConnection');
  return <StatusBadge tone={tones[status]} text={text ?? t(`statuses.${status}`)} />;
}
