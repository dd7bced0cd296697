import type { ProxyState } from '@cellhop/contract/staff/inventory.values';
import { useTranslation } from 'react-i18next';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';

const tones: Record<ProxyState, Tone> = {
  FREE: 'good',
  SOLD: 'neutral',
  DRAINING: 'warning',
  RETIRED: 'warning',
  UNHEALTHY: 'bad',
};

export function ProxyStateBadge({ state }: { state: ProxyState }) {
  const { t } = useTranslation('staffInventory');
  return <StatusBadge tone={tones[state]} text={t(`states.${state}`)} />;
}
