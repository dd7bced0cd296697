import type { Invoice, InvoicePayment } from '@cellhop/contract/invoices';
import { useTranslation } from 'react-i18next';
import { formatMoney } from '../../lib/format.ts';
import { receivedPercent } from './invoice-stage.ts';
import classes from './received-payment.module.css';
import { tickerOf, withTicker } from './ticker.ts';

interface ReceivedPaymentProps {
  invoice: Invoice;
  payment: InvoicePayment;
}

/** What was received, what is missing or too much, and the result. */
export function ReceivedPayment({ invoice, payment }: ReceivedPaymentProps) {
  const { t } = useTranslation('payment');
  const { confirming, missing, excess, credited, isLate } = payment;
  const ticker = tickerOf(invoice.currency);
  const isStable = ticker === 'USDT';
  const lines = [
    { label: t('received.missing'), value: missing && `${missing} ${ticker}`, tone: 'warning' },
    { label: t('received.confirming'), value: Number(confirming) > 0 && `${confirming} ${ticker}`, tone: 'none' },
    { label: t('received.excess'), value: excess && `${excess} ${ticker}`, tone: 'none' },
    { label: t('received.credited'), value: credited > 0 && formatMoney(credited), tone: 'good' },
  ];
  return (
    <section className={classes['received']} aria-label={t('received.title')}>
      <p className={classes['head']}>
        <span>{t('received.title')}</span>
        <strong>{t('received.of', { received: payment.received, due: withTicker(invoice) })}</strong>
      </p>
      {/* Hidden from screen readers: the text above has the same information. */}
      <div className={classes['bar']} aria-hidden="true">
        <div style={{ width: `${receivedPercent(invoice)}%` }} data-whole={missing === null} />
      </div>
      <dl>
        {lines.map(
          ({ label, value, tone }) =>
            Boolean(value) && (
              <div key={label} data-tone={tone}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      {isLate && <p className={classes['late']}>{t(isStable ? 'received.lateStable' : 'received.late')}</p>}
    </section>
  );
}
