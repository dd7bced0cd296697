import type { Invoice, InvoicePayment, InvoiceTransfer } from '@cellhop/contract/invoices';
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { currencyTicker } from '@cellhop/contract/coins';
import { formatDecimal, formatMoney } from '../../format/format.ts';
import { receivedPercent } from './invoice-stage.ts';
import classes from './received-payment.module.css';
import { withTicker } from './ticker.ts';

interface ReceivedPaymentProps {
  invoice: Invoice;
  payment: InvoicePayment;
}

/** The received amount, the missing or excess amount, and the result. */
export function ReceivedPayment({ invoice, payment }: ReceivedPaymentProps) {
  const { t } = useTranslation('payment');
  const { confirming, missing, excess, credited, isLate, transfers } = payment;
  const ticker = currencyTicker(invoice.currency);
  const isStable = ticker === 'USDT';
  const lines = [
    { label: t('received.missing'), value: missing && `${formatDecimal(missing)} ${ticker}`, tone: 'warning' },
    {
      label: t('received.confirming'),
      value: Number(confirming) > 0 && `${formatDecimal(confirming)} ${ticker}`,
      tone: 'none',
    },
    { label: t('received.excess'), value: excess && `${formatDecimal(excess)} ${ticker}`, tone: 'none' },
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
      <Transfers invoice={invoice} transfers={transfers} />
      {isLate && <p className={classes['late']}>{t(isStable ? 'received.lateStable' : 'received.late')}</p>}
    </section>
  );
}

/** Payments that were seen but no longer count. */
export function ReplacedPayment({ amount }: { amount: string }) {
  const { t } = useTranslation('payment');
  return <p className={classes['late']}>{t('received.replaced', { amount })}</p>;
}

/** The confirmations of each payment. Credited payments are shown only for their links. */
function Transfers({ invoice, transfers }: { invoice: Invoice; transfers: readonly InvoiceTransfer[] }) {
  const { t } = useTranslation('payment');
  const shown = transfers.filter(
    ({ isCredited, explorerUrl, receipt }) => !isCredited || explorerUrl !== null || typeof receipt === 'number',
  );
  if (shown.length === 0) return null;
  return (
    <ul className={classes['transfers']}>
      {shown.map((transfer, index) => (
        <li key={transfer.explorerUrl ?? `payment ${index}`}>
          <span>{withTicker({ ...transfer, currency: invoice.currency })}</span>
          {!transfer.isCredited && <ConfirmationText transfer={transfer} />}
          {typeof transfer.receipt === 'number' && (
            <Link to="/transactions" search={{ receipt: transfer.receipt }}>
              {t('received.receipt', { number: transfer.receipt })}
            </Link>
          )}
          {transfer.explorerUrl !== null && (
            <Anchor
              href={transfer.explorerUrl}
              target="_blank"
              rel="noopener noreferrer"
              aria-label={t('received.explorerOf', { amount: withTicker({ ...transfer, currency: invoice.currency }) })}
            >
              {t('received.explorer')}
            </Anchor>
          )}
        </li>
      ))}
    </ul>
  );
}

function ConfirmationText({ transfer }: { transfer: InvoiceTransfer }) {
  const { t } = useTranslation('payment');
  const { confirmations, confirmationsNeeded, isReplaceable, waitsForPeg } = transfer;
  if (waitsForPeg) return <span>{t('received.waitsForPeg')}</span>;
  if (confirmations === 0) return <span>{t(isReplaceable ? 'received.replaceable' : 'received.inPool')}</span>;
  if (confirmationsNeeded === null) return <span>{t('received.inBlock')}</span>;
  const done = Math.min(confirmations, confirmationsNeeded);
  return <span>{t('received.confirmations', { done, needed: confirmationsNeeded })}</span>;
}
