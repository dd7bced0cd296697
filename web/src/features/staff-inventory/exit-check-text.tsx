import { operatorText } from '@cellhop/contract/places.values';
import type { ExitCheck } from '@cellhop/contract/staff/exit-checks';
import { useTranslation } from 'react-i18next';
import { countryName, formatAge, language } from '../../format/format.ts';
import { useTenSeconds } from '../../hooks/use-ten-seconds.ts';
import { useReason } from '../staff-parts/exit-reason.ts';
import classes from './inventory-table.module.css';

/** When the exit was checked, and why it does not work. */
export function ExitCheckText({ check: { checkedAt, reason: text } }: { check: ExitCheck }) {
  const { t } = useTranslation('staffInventory');
  const now = useTenSeconds();
  const reason = useReason(text);
  if (checkedAt === null) return reason ?? t('check.never');
  const ago = formatAge(checkedAt, now);
  if (reason === undefined) return ago;
  return (
    <span className={classes['lines']}>
      <span>{ago}</span>
      <span className={classes['reason']}>{reason}</span>
    </span>
  );
}

/** From which address the traffic of the exit comes, and where that is. */
export function SeenAddress({ check }: { check: ExitCheck }) {
  const { seenAddress: address, isAddressDifferent, isPlaceDifferent = false, seenPlace, health } = check;
  const { t } = useTranslation('staffInventory');
  if (address === null) return health === 'HEALTHY' ? t('check.notCompared') : '–';
  const place = seenPlace ? placeText(seenPlace) : '';
  if (!isAddressDifferent && place === '') return address;
  return (
    <span className={classes['lines']}>
      <span className={isAddressDifferent ? classes['reason'] : undefined}>{address}</span>
      {isAddressDifferent && <span>{t('check.different')}</span>}
      {place !== '' && (
        <span className={isPlaceDifferent ? classes['reason'] : undefined}>
          {isPlaceDifferent ? t('check.otherPlace', { place }) : place}
        </span>
      )}
    </span>
  );
}

function placeText({ countryCode, ...operator }: NonNullable<ExitCheck['seenPlace']>): string {
  const country = countryCode && countryName(countryCode, language());
  return [country, operatorText(operator)].filter(Boolean).join(' · ');
}
