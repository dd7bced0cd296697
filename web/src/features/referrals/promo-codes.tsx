import type { OwnPromoCode } from '@cellhop/contract/referrals';
import { useTranslation } from 'react-i18next';
import { formatCount, formatDate } from '../../format/format.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { useOwnPromoCodes } from './api.ts';
import classes from './referral-page.module.css';

interface PromoCodesProps {
  page: number;
  onPage: (page: number) => void;
}

/** Renders nothing for users without promo codes. */
export function PromoCodes({ page, onPage }: PromoCodesProps) {
  const { t } = useTranslation('referralSystem');
  const codes = useOwnPromoCodes(page);
  if (codes.totalPages === 0 && codes.failure === undefined) return null;

  const columns: Column<OwnPromoCode>[] = [
    {
      key: 'code',
      header: t('promoCodes.code'),
      place: 'heading',
      render: ({ code }) => (
        <div className={classes['promoCode']}>
          <Copyable name={t('promoCodes.code')} value={code} isWrapped />
        </div>
      ),
    },
    {
      key: 'status',
      header: t('promoCodes.status'),
      place: 'heading',
      render: ({ status }) => (
        <StatusBadge tone={status === 'ACTIVE' ? 'good' : 'neutral'} text={t(`promoCodes.statuses.${status}`)} />
      ),
    },
    {
      key: 'users',
      header: t('promoCodes.users'),
      isNumeric: true,
      render: ({ registeredUsersCount }) => formatCount(registeredUsersCount),
    },
    {
      key: 'createdAt',
      header: t('promoCodes.createdAt'),
      isNumeric: true,
      render: ({ createdAt }) => formatDate(createdAt),
    },
    {
      key: 'expiredAt',
      header: t('promoCodes.expiredAt'),
      isNumeric: true,
      render: ({ expiredAt }) => (expiredAt === null ? t('promoCodes.never') : formatDate(expiredAt)),
    },
  ];
  return (
    <section className={classes['levels']} aria-labelledby="referral-promo-codes">
      <h2 id="referral-promo-codes">{t('promoCodes.title')}</h2>
      <PagedList list={codes} page={page} onPage={onPage} failureText={t('promoCodes.failed')} empty={null}>
        {(rows) => <DataTable label={t('promoCodes.title')} columns={columns} rows={rows} rowKey={({ id }) => id} />}
      </PagedList>
    </section>
  );
}
