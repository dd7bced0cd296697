import type { Invoice } from '@cellhop/contract/invoices';
import { QRCodeSVG } from 'qrcode.react';
import { useTranslation } from 'react-i18next';
import { formatDate, splitSeconds } from '../../lib/format.ts';
import { useSecondsLeft } from '../../lib/use-seconds-left.ts';
import { tickerOf } from './ticker.ts';
import { Copyable } from '../../ui/copyable.tsx';
import classes from './pay-details.module.css';

const QR_PIXELS = 168;

/** What to send, where, through which network, and until when. */
export function PayDetails({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation('payment');
  const { address, amountInCurrency, currency, expiredAt } = invoice;
  const secondsLeft = useSecondsLeft(Date.parse(expiredAt));
  const exact = t('pay.exact', { ticker: tickerOf(currency) });
  const until = t('pay.expiresAt', { date: formatDate(expiredAt) });
  return (
    <div className={classes['details']}>
      <div className={classes['code']}>
        <QRCodeSVG value={address} size={QR_PIXELS} title={t('pay.qr')} />
      </div>
      <dl className={classes['values']}>
        <div>
          <dt>{t('pay.network')}</dt>
          <dd className={classes['network']}>{t(`networks.${currency}`)}</dd>
        </div>
        <div>
          <dt>{exact}</dt>
          <dd>
            <Copyable name={exact} value={amountInCurrency} />
          </dd>
        </div>
        <div>
          <dt>{t('pay.address')}</dt>
          <dd>
            <Copyable name={t('pay.address')} value={address} isWrapped />
          </dd>
        </div>
      </dl>
      <p className={classes['timer']} title={until}>
        {secondsLeft > 0 ? t('pay.expiresIn', { time: toClock(secondsLeft) }) : until}
      </p>
      <p className={classes['warning']}>{t('pay.onlyNetwork')}</p>
    </div>
  );
}

/** `1:05:09`, and without hours `05:09`. */
function toClock(total: number): string {
  const { minutes, seconds } = splitSeconds(total);
  const clock = `${twoDigits(minutes % 60)}:${twoDigits(seconds)}`;
  return minutes < 60 ? clock : `${Math.floor(minutes / 60)}:${clock}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
