import type { Invoice } from '@cellhop/contract/invoices';
import { useTranslation } from 'react-i18next';
import { formatDate, splitSeconds, twoDigits } from '../../format/format.ts';
import classes from './time-left.module.css';

const URGENT_SECONDS = 60;

/** Countdown until the invoice expires. */
export function TimeLeft({ invoice: { expiredAt }, secondsLeft }: { invoice: Invoice; secondsLeft: number }) {
  const { t } = useTranslation('payment');
  return (
    <p
      className={classes['timer']}
      title={t('pay.expiresAt', { date: formatDate(expiredAt) })}
      data-urgent={secondsLeft <= URGENT_SECONDS}
    >
      {t('pay.expiresIn', { time: toClock(secondsLeft) })}
    </p>
  );
}

/** `1:05:09`, or `05:09` without hours. */
function toClock(total: number): string {
  const { minutes, seconds } = splitSeconds(total);
  const clock = `${twoDigits(minutes % 60)}:${twoDigits(seconds)}`;
  return minutes < 60 ? clock : `${Math.floor(minutes / 60)}:${clock}`;
}
