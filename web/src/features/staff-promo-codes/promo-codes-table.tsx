import type { PromoCode } from '@cellhop/contract/staff/promo-codes';
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatCount, formatDate, formatMoney } from '../../format/format.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { UserLink } from '../staff-parts/user-link.tsx';

interface PromoCodesTableProps {
  promoCodes: readonly PromoCode[] | undefined;
  /** Undefined if the member of staff may not disable promo codes. */
  onDisable: ((promoCode: PromoCode) => void) | undefined;
}

export function PromoCodesTable({ promoCodes, onDisable }: PromoCodesTableProps) {
  const { t } = useTranslation(['staffContent', 'staff', 'referralSystem']);
  const columns: Column<PromoCode>[] = [
    { key: 'code', header: t('promoCodes.code'), isUnbroken: true, place: 'heading', render: ({ code }) => code },
    { key: 'user', header: t('staff:user'), render: ({ referral }) => <UserLink user={referral} /> },
    {
      key: 'status',
      header: t('referralSystem:promoCodes.status'),
      place: 'heading',
      render: ({ status }) => (
        <StatusBadge
          tone={status === 'ACTIVE' ? 'good' : 'neutral'}
          text={t(`referralSystem:promoCodes.statuses.${status}`)}
        />
      ),
    },
    {
      key: 'users',
      header: t('referralSystem:promoCodes.users'),
      isNumeric: true,
      render: ({ registeredUsersCount }) => formatCount(registeredUsersCount),
    },
    ...useTrialColumns(),
    {
      key: 'createdAt',
      header: t('referralSystem:promoCodes.createdAt'),
      render: ({ createdAt }) => <time dateTime={createdAt}>{formatDate(createdAt)}</time>,
    },
    {
      key: 'expiredAt',
      header: t('referralSystem:promoCodes.expiredAt'),
      render: ({ expiredAt }) =>
        expiredAt === null ? (
          t('referralSystem:promoCodes.never')
        ) : (
          <time dateTime={expiredAt}>{formatDate(expiredAt)}</time>
        ),
    },
  ];
  if (onDisable !== undefined)
    columns.push({
      key: 'action',
      header: t('promoCodes.action'),
      place: 'action',
      isLast: true,
      render: (promoCode) =>
        promoCode.status !== 'DISABLED' && (
          <Button
            size="compact-sm"
            variant="light"
            aria-label={t('promoCodes.disable.of', { code: promoCode.code })}
            onClick={() => onDisable(promoCode)}
          >
            {t('promoCodes.disable.action')}
          </Button>
        ),
    });
  return (
    <DataTable label={t('promoCodes.label')} columns={columns} rows={promoCodes} rowKey={({ id }) => id} isDense />
  );
}

function useTrialColumns(): Column<PromoCode>[] {
  const { t } = useTranslation('staffContent');
  const ofLimit = (value: string, limit: string | undefined) =>
    limit === undefined ? value : t('promoCodes.ofLimit', { value, limit });
  return [
    {
      key: 'trialCredit',
      header: t('promoCodes.trialCredit'),
      isNumeric: true,
      render: ({ trialCredit }) => (trialCredit === 0 ? t('promoCodes.noCredit') : formatMoney(trialCredit)),
    },
    {
      key: 'uses',
      header: t('promoCodes.uses'),
      isNumeric: true,
      render: ({ trialCreditsCount, trialCreditsMax }) =>
        ofLimit(formatCount(trialCreditsCount), trialCreditsMax === null ? undefined : formatCount(trialCreditsMax)),
    },
    {
      key: 'budget',
      header: t('promoCodes.spent'),
      isNumeric: true,
      render: ({ credited, budget }) =>
        ofLimit(formatMoney(credited), budget === null ? undefined : formatMoney(budget)),
    },
  ];
}
