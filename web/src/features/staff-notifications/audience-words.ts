import { RECIPIENTS_COUNTED_MAX, RECIPIENTS_TOLD_MIN } from '@cellhop/contract/limits';
import type { Audience } from '@cellhop/contract/staff/notifications';
import type { TFunction } from 'i18next';
import { formatDate, formatMoney, formatCount } from '../../format/format.ts';

type Words = TFunction<['staffContent', 'common']>;

/** Describes the filter of a broadcast in words. The first word stands for all users if no filter is used. */
export function audienceWords(audience: Audience, t: Words): string[] {
  const { status, isConfirmed, languageCode, roleName, balanceFrom, balanceBelow } = audience;
  const { hasOpenConnection, registeredFrom, registeredBefore, userIds } = audience;
  const words = [
    status === 'BLOCKED' && t('broadcasts.words.blocked'),
    isConfirmed === false && t('broadcasts.words.unconfirmed'),
    languageCode !== undefined && t('broadcasts.words.language', { language: t(`common:languages.${languageCode}`) }),
    roleName !== undefined && t('broadcasts.words.role', { role: roleName }),
    hasOpenConnection !== undefined && t(`broadcasts.words.${hasOpenConnection ? 'connected' : 'notConnected'}`),
    registeredFrom !== undefined && t('broadcasts.words.registeredFrom', { date: formatDate(registeredFrom) }),
    registeredBefore !== undefined && t('broadcasts.words.registeredBefore', { date: formatDate(registeredBefore) }),
    balanceFrom !== undefined && t('broadcasts.words.balanceFrom', { amount: formatMoney(balanceFrom) }),
    balanceBelow !== undefined && t('broadcasts.words.balanceBelow', { amount: formatMoney(balanceBelow) }),
    userIds !== undefined && t('broadcasts.words.listed', { count: userIds.length }),
  ].filter((word) => word !== false);
  return words.length === 0 ? [t('broadcasts.words.everyone')] : words;
}

/** For fewer recipients than the API tells: "fewer than 10". */
export function fewRecipients(t: Words): string {
  return t('broadcasts.fewerThan', { number: formatCount(RECIPIENTS_TOLD_MIN) });
}

/** `1,234`, or `100,000+` for the largest number that the API counts. */
export function formatRecipients(count: number): string {
  return count >= RECIPIENTS_COUNTED_MAX ? `${formatCount(RECIPIENTS_COUNTED_MAX)}+` : formatCount(count);
}
