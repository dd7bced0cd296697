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

export function ConnectionStatusBadge({ status }: { status: ConnectionStatus }) {
  const { t } = useTranslation('proxyConnection');
  return <StatusBadge tone={tones[status]} text={t(`statuses.${status}`)} />;
}
