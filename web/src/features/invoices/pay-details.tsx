import type { Invoice } from '@cellhop/contract/invoices';
import { QRCodeSVG } from 'qrcode.react';
import { useTranslation } from 'react-i18next';
import { formatDate, splitSeconds } from '../../lib/format.ts';
import { tickerOf } from './ticker.ts';
import { Copyable } from '../../ui/copyable.tsx';
import classes from './pay-details.module.css';

const QR_PIXELS = 192;
/** Cells of white around the code, without which not every camera finds it. */
const QUIET_ZONE = 4;
/** What people compare before they send: the ends of an address. */
const END_LENGTH = 6;
const HURRY_SECONDS = 60;

interface PayDetailsProps {
  invoice: Invoice;
  /** All that is due, or what is still missing. */
  amount: string;
  secondsLeft: number;
}

/** What to send, where, through which network, and until when. */
export function PayDetails({ invoice, amount, secondsLeft }: PayDetailsProps) {
  const { t } = useTranslation('payment');
  const { address, currency, expiredAt, status } = invoice;
  const amountName = t(status === 'PENDING' ? 'pay.exact' : 'pay.missing', { ticker: tickerOf(currency) });
  return (
    <div className={classes['details']}>
      <div className={classes['code']}>
        <QRCodeSVG value={address} size={QR_PIXELS} marginSize={QUIET_ZONE} title={t('pay.qr')} />
      </div>
      <dl className={classes['values']}>
        <div>
          <dt>{t('pay.network')}</dt>
          <dd className={classes['network']}>{t(`networks.${currency}`)}</dd>
        </div>
        <div>
          <dt>{amountName}</dt>
          <dd>
            <Copyable name={amountName} value={amount} />
          </dd>
        </div>
        <div>
          <dt>{t('pay.address')}</dt>
          <dd>
            <Copyable name={t('pay.address')} value={address} isWrapped>
              <strong>{address.slice(0, END_LENGTH)}</strong>
              {address.slice(END_LENGTH, -END_LENGTH)}
              <strong>{address.slice(-END_LENGTH)}</strong>
            </Copyable>
          </dd>
        </div>
      </dl>
      <p
        className={classes['timer']}
        title={t('pay.expiresAt', { date: formatDate(expiredAt) })}
        data-hurry={secondsLeft <= HURRY_SECONDS}
      >
        {t('pay.expiresIn', { time: toClock(secondsLeft) })}
      </p>
      <p className={classes['note']}>
        {t('pay.onlyNetwork')} {t('pay.anyAmount')}
      </p>
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
