import type { Invoice } from '@cellhop/contract/invoices';
import { QRCodeSVG } from 'qrcode.react';
import { useTranslation } from 'react-i18next';
import { tickerOf } from './ticker.ts';
import { Copyable } from '../../ui/copyable.tsx';
import classes from './pay-details.module.css';

const QR_PIXELS = 192;
/** Cells of white around the code, without which not every camera finds it. */
const QUIET_ZONE = 4;
/** What people compare before they send: the ends of an address. */
const END_LENGTH = 6;

interface PayDetailsProps {
  invoice: Invoice;
  /** All that is due, or what is still missing. */
  amount: string;
}

/** What to send, where, and through which network. */
export function PayDetails({ invoice, amount }: PayDetailsProps) {
  const { t } = useTranslation('payment');
  const { address, currency, status } = invoice;
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
      <p className={classes['note']}>
        {t('pay.onlyNetwork')} {t('pay.anyAmount')}
      </p>
    </div>
  );
}
