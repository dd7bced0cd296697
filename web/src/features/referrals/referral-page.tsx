import type { OwnPromoCode } from '@cellhop/contract/referrals';
import { type ReferralLevel, referralLevels, referralLevelTable } from '@cellhop/contract/referrals.values';
import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { apiQuery, pageQuery } from '../../data/query.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { useList } from '../../data/use-list.ts';
import { formatCount, formatDate } from '../../format/format.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { LoadFailure } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import classes from './referral-page.module.css';
import { referralScreen } from './screen.ts';
import { ReferralSummaryCards } from './summary-cards.tsx';

export function ReferralPage() {
  // Of the promo codes.
  const [{ page = 1 }, change] = useScreenSearch(referralScreen);
  const { t } = useTranslation('referralSystem');
  const { response, failure } = useReferralSummary();
  const own = response?.data;
  if (failure !== undefined) return <LoadFailure text={t('failed')} {...failure} />;
  if (own === undefined)
    // The rules below wait too, because the height of the cards is unknown while they load.
    return (
      <div className={classes['cards']} aria-busy="true">
        <CardPlaceholder />
        <CardPlaceholder />
      </div>
    );
  return (
    <div className={classes['page']}>
      <ReferralSummaryCards summary={own} />
      <div className={classes['rules']}>
        <section className={classes['how']} aria-labelledby="referral-how">
          <h2 id="referral-how">{t('how.title')}</h2>
          <ol>
            <li>{t('how.share')}</li>
            <li>{t('how.earn')}</li>
            <li>{t('how.level')}</li>
          </ol>
          <p>{t('how.example')}</p>
        </section>
        <section className={classes['levels']} aria-labelledby="referral-levels">
          <h2 id="referral-levels">{t('levels.title')}</h2>
          <LevelTable current={own.level} />
        </section>
      </div>
      <PromoCodes page={page} onPage={(chosen) => change({ page: chosen })} />
    </div>
  );
}

function CardPlaceholder() {
  return (
    <div className={classes['card']} aria-hidden="true">
      <Skeleton height={16} width={150} />
      <Skeleton height={36} width={190} />
      <Skeleton height={16} width="90%" />
      <Skeleton height={40} width="70%" />
      <Skeleton height={40} width="70%" />
    </div>
  );
}

function useReferralSummary() {
  return useApiQuery(apiQuery('GET /v1/referral-system', {}), { isPolled: true });
}

function useOwnPromoCodes(page: number) {
  return useList(apiQuery('GET /v1/referral-system/promo-codes', { query: pageQuery(page) }));
}

/** Small enough for a phone, so it is always a table. */
function LevelTable({ current }: { current: ReferralLevel }) {
  const { t } = useTranslation('referralSystem');
  return (
    <table className={classes['table']}>
      <thead>
        <tr>
          <th scope="col">{t('levels.level')}</th>
          <th scope="col">{t('levels.from')}</th>
          <th scope="col">{t('levels.to')}</th>
          <th scope="col">{t('levels.bonus')}</th>
        </tr>
      </thead>
      <tbody>
        {referralLevels.map((level) => {
          const { shownPayments, bonusPercent } = referralLevelTable[level];
          return (
            <tr key={level} data-current={level === current}>
              <th scope="row">
                <span className={classes['name']}>
                  {t(`names.${level}`)} {level === current && <StatusBadge tone="good" text={t('levels.yours')} />}
                </span>
              </th>
              <td>{shownPayments.from}</td>
              <td>{shownPayments.to ?? t('levels.more')}</td>
              <td>{t('percent', { value: bonusPercent })}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface PromoCodesProps {
  page: number;
  onPage: (page: number) => void;
}

/** Renders nothing for users without promo codes. */
function PromoCodes({ page, onPage }: PromoCodesProps) {
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
      place: 'fact',
      isNumeric: true,
      render: ({ registeredUsersCount }) => formatCount(registeredUsersCount),
    },
    {
      key: 'createdAt',
      header: t('promoCodes.createdAt'),
      place: 'fact',
      isNumeric: true,
      render: ({ createdAt }) => formatDate(createdAt),
    },
    {
      key: 'expiredAt',
      header: t('promoCodes.expiredAt'),
      place: 'fact',
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
