import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { LoadFailure } from '../../ui/list-state.tsx';
import { useReferralSummary } from './api.ts';
import { LevelTable } from './level-table.tsx';
import { PromoCodes } from './promo-codes.tsx';
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
