import type { UserStatus } from '@cellhop/contract/users';
import { useTranslation } from 'react-i18next';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';

const tones: Record<UserStatus, Tone> = { ACTIVE: 'good', BLOCKED: 'bad', DELETED: 'neutral' };

export function UserStatusBadge({ status }: { status: UserStatus }) {
  const { t } = useTranslation('staffUsers');
  return <StatusBadge tone={tones[status]} text={t(`statuses.${status}`)} />;
}

export function ConfirmationBadge({ isConfirmed }: { isConfirmed: boolean }) {
  const { t } = useTranslation('staffUsers');
  return (
    <StatusBadge
      tone={isConfirmed ? 'good' : 'neutral'}
      text={t(isConfirmed ? 'email.confirmed' : 'email.unconfirmed')}
    />
  );
}
