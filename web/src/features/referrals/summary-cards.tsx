import type { ReferralSummary } from '@cellhop/contract/referrals';
import { referralLevelTable } from '@cellhop/contract/referrals.values';
import { useTranslation } from 'react-i18next';
import { formatCount, formatDate } from '../../format/format.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Money } from '../../ui/money.tsx';
import { nextGoal } from './next-goal.ts';
import classes from './referral-page.module.css';

/** Current level, next level of this month, and the referral link. */
export function ReferralSummaryCards({ summary }: { summary: ReferralSummary }) {
  const { t } = useTranslation('referralSystem');
  const { level, bonusPercent, nextLevel, monthEndsAt, paymentsThisMonth } = summary;
  const goal = nextGoal(nextLevel, paymentsThisMonth);
  // Without top-ups this month, shows how few are needed for the first level.
  const forecast = nextLevel === 'BASIC' ? 'SILVER' : nextLevel;
  const facts: Fact[] = [
    { label: t('registeredUsers'), value: formatCount(summary.registeredUsersCount) },
    { label: t('earned'), value: <Money dollars={summary.earned} /> },
    { label: t('paymentsThisMonth'), value: formatCount(paymentsThisMonth) },
    ...(goal === undefined
      ? []
      : [
          {
            label: t('goal', { level: t(`names.${goal.level}`) }),
            value: t('topUps', { count: goal.missing }),
          },
        ]),
  ];
  return (
    <div className={classes['cards']}>
      <section className={classes['card']} aria-labelledby="referral-level">
        <h2 id="referral-level" className={classes['label']}>
          {t('level')}
        </h2>
        <p className={classes['level']}>
          <strong>{t(`names.${level}`)}</strong>
          <span className={classes['percent']}>{t('percent', { value: bonusPercent })}</span>
        </p>
        <p className={classes['next']}>
          {t(nextLevel === 'BASIC' ? 'nextFirst' : 'next', {
            date: formatDate(monthEndsAt),
            level: t(`names.${forecast}`),
            value: referralLevelTable[forecast].bonusPercent,
          })}
        </p>
        <Facts items={facts} />
      </section>
      <section className={classes['card']} aria-labelledby="referral-share">
        <h2 id="referral-share" className={classes['label']}>
          {t('share')}
        </h2>
        <div className={classes['field']}>
          <h3>{t('link')}</h3>
          <Copyable name={t('link')} value={summary.link} isWrapped />
        </div>
        <div className={classes['field']}>
          <h3>{t('code')}</h3>
          <Copyable name={t('code')} value={summary.code} />
        </div>
        <p className={classes['next']}>{t('shareHint')}</p>
      </section>
    </div>
  );
}
