import type { Invoice } from '@cellhop/contract/invoices';
import type { InvoiceStatus } from '@cellhop/contract/invoices.values';
import { Button, Stack } from '@mantine/core';
import { IconFlask } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { toLocalTime } from '../../data/server-clock.ts';
import { useSettings } from '../../data/settings.ts';
import { formatClock, formatDate, formatMoney } from '../../format/format.ts';
import { useLastDefined } from '../../hooks/use-last-value.ts';
import { useSecondsLeft } from '../../hooks/use-seconds-left.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { isOpen, useCancelInvoice, usePayInvoice } from './api.ts';
import { amountToSend, shownStatus } from './invoice-stage.ts';
import { InvoiceStatusBadge } from './invoice-status-badge.tsx';
import { PayDetails } from './pay-details.tsx';
import classes from './pay-dialog.module.css';
import { ReceivedPayment, ReplacedPayment } from './received-payment.tsx';
import { withTicker } from './ticker.ts';

interface PayDialogProps {
  invoice: Invoice | undefined;
  onClose: () => void;
  onCreateNew: () => void;
}

export function PayDialog({ invoice: shown, onClose, onCreateNew }: PayDialogProps) {
  const { t } = useTranslation('payment');
  const invoice = useLastDefined(shown);
  return (
    <Dialog
      isOpen={shown !== undefined}
      title={t('pay.title', { amount: formatMoney(invoice?.amount ?? 0) })}
      size="md"
      onClose={onClose}
    >
      {invoice !== undefined && <InvoiceView invoice={invoice} onCreateNew={onCreateNew} />}
    </Dialog>
  );
}

function InvoiceView({ invoice, onCreateNew }: { invoice: Invoice; onCreateNew: () => void }) {
  const { t } = useTranslation('payment');
  const secondsLeft = useSecondsLeft(toLocalTime(Date.parse(invoice.expiredAt)));
  const hasTime = secondsLeft > 0;
  const status = shownStatus(invoice, hasTime);
  const amount = amountToSend(invoice, hasTime);
  const { replaced } = invoice;
  const isOver = status === 'EXPIRED' || (status === 'PARTIALLY_PAID' && !hasTime);
  const isHeld = invoice.payment?.transfers.some(({ waitsForPeg }) => waitsForPeg) === true;
  return (
    <Stack gap="lg">
      {invoice.isSandbox && <SandboxNotice />}
      <div className={classes['head']}>
        <output className={classes['status']}>
          <InvoiceStatusBadge status={status} />
          <p>{t(statusText(status, hasTime, isHeld))}</p>
        </output>
        {amount !== undefined && <TimeLeft invoice={invoice} secondsLeft={secondsLeft} />}
      </div>
      {invoice.payment !== null && <ReceivedPayment invoice={invoice} payment={invoice.payment} />}
      {replaced !== null && <ReplacedPayment amount={withTicker({ ...invoice, amountInCurrency: replaced })} />}
      {amount === undefined ? <InvoiceFacts invoice={invoice} /> : <PayDetails invoice={invoice} amount={amount} />}
      {invoice.isSandbox && isOpen(invoice) && hasTime && <SandboxPayment invoice={invoice} />}
      {status === 'PENDING' && invoice.payment === null && <CancelButton invoice={invoice} />}
      {isOver && (
        <Button size="md" onClick={onCreateNew}>
          {t('create.open')}
        </Button>
      )}
    </Stack>
  );
}

/** No question before it: nothing is lost, because later payments to the address are still credited. */
function CancelButton({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation('payment');
  const cancelling = useCancelInvoice();
  return (
    <Button variant="subtle" color="red" loading={cancelling.isRunning} onClick={() => void cancelling.run(invoice.id)}>
      {t('pay.cancel')}
    </Button>
  );
}

function statusText(status: InvoiceStatus, hasTime: boolean, isHeld: boolean) {
  if (status === 'CONFIRMING' && isHeld) return 'statusTexts.HELD';
  return status === 'PARTIALLY_PAID' && !hasTime
    ? 'statusTexts.PARTIALLY_PAID_OVER'
    : (`statusTexts.${status}` as const);
}

function InvoiceFacts({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation('payment');
  return (
    <Facts
      items={[
        { label: t('table.amountInCurrency'), value: withTicker(invoice) },
        { label: t('pay.network'), value: t(`networks.${invoice.currency}`) },
        { label: t('table.createdAt'), value: formatDate(invoice.createdAt) },
        { label: t('table.expiredAt'), value: formatDate(invoice.expiredAt) },
        { label: t('pay.address'), value: <code className={classes['address']}>{invoice.address}</code>, isWide: true },
      ]}
    />
  );
}

function SandboxPayment({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation('payment');
  const { isDevelopment } = useSettings();
  const payment = usePayInvoice();
  if (!isDevelopment) return null;
  return (
    <Button
      size="md"
      leftSection={<IconFlask size={18} aria-hidden="true" />}
      loading={payment.isRunning}
      disabled={invoice.status === 'CONFIRMING'}
      onClick={() => void payment.run(invoice.id)}
    >
      {t('pay.sandboxPay')}
    </Button>
  );
}

/** Prominent, so that no real money is sent to an address that exists on no chain. */
function SandboxNotice() {
  const { t } = useTranslation('payment');
  return (
    <div className={classes['notice']} role="note">
      <IconFlask size={24} stroke={1.6} aria-hidden="true" />
      <div>
        <strong>{t('pay.sandboxTitle')}</strong>
        <p>{t('pay.sandbox')}</p>
      </div>
    </div>
  );
}

const URGENT_SECONDS = 60;

/** Countdown until the invoice expires. */
function TimeLeft({ invoice: { expiredAt }, secondsLeft }: { invoice: Invoice; secondsLeft: number }) {
  const { t } = useTranslation('payment');
  return (
    <p
      className={classes['timer']}
      title={t('pay.expiresAt', { date: formatDate(expiredAt) })}
      data-urgent={secondsLeft <= URGENT_SECONDS}
    >
      {t('pay.expiresIn', { time: formatClock(secondsLeft) })}
    </p>
  );
}
