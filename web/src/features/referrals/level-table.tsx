import { type ReferralLevel, referralLevels, referralLevelTable } from '@cellhop/contract/referrals.values';
import { useTranslation } from 'react-i18next';
import { StatusBadge } from '../../ui/status-badge.tsx';
import classes from './referral-page.module.css';

/** Small enough for a phone, so it is always a table. */
export function LevelTable({ current }: { current: ReferralLevel }) {
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
