import type { StaffUser } from '@cellhop/contract/staff/users';
import { useTranslation } from 'react-i18next';
import { formatDate, formatMoney } from '../../format/format.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { UserLink } from '../staff-parts/user-link.tsx';

export function UserFacts({ user }: { user: StaffUser }) {
  const { t } = useTranslation('staffUsers');
  const { id, balance, languageCode, referralCode, createdAt, deletedAt, referral, promoCode, hasSecondFactor } = user;
  const facts: Fact[] = [
    { label: t('fields.id'), value: <Copyable name={t('fields.id')} value={id} />, isWide: true },
    { label: t('fields.balance'), value: formatMoney(balance) },
    { label: t('fields.language'), value: languageCode.toUpperCase() },
    { label: t('fields.referralCode'), value: referralCode },
    { label: t('fields.createdAt'), value: <time dateTime={createdAt}>{formatDate(createdAt)}</time> },
    ...(deletedAt === null
      ? []
      : [{ label: t('fields.deletedAt'), value: <time dateTime={deletedAt}>{formatDate(deletedAt)}</time> }]),
    { label: t('fields.referrer'), value: referral === null ? t('none') : <UserLink user={referral} /> },
    { label: t('fields.promoCode'), value: promoCode ?? t('none') },
    { label: t('fields.secondFactor'), value: t(hasSecondFactor ? 'secondFactor.on' : 'secondFactor.off') },
  ];
  return <Facts items={facts} />;
}
