import type { Invoice } from '@cellhop/contract/invoices';
import { Button, Stack } from '@mantine/core';
import { IconFlask } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { showErrorToast } from '../../lib/error-text.ts';
import { formatDate, formatMoney } from '../../lib/format.ts';
import { useSettings } from '../../lib/settings.ts';
import { showToast } from '../../lib/toasts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { isOpen, usePayInvoice } from './api.ts';
import { InvoiceStatusBadge } from './invoice-status-badge.tsx';
import classes from './pay-dialog.module.css';
import { PayDetails } from './pay-details.tsx';
import { SandboxNotice } from './sandbox-notice.tsx';
import { withTicker } from './ticker.ts';

interface PayDialogProps {
  invoice: Invoice | undefined;
  onClose: () => void;
}

export function PayDialog({ invoice, onClose }: PayDialogProps) {
  const { t } = useTranslation('payment');
  return (
    <Dialog
      isOpen={invoice !== undefined}
      title={t('pay.title', { amount: formatMoney(invoice?.amount ?? 0) })}
      size="md"
      onClose={onClose}
    >
      {invoice !== undefined && (
        <Stack gap="lg">
          {invoice.isSandbox && <SandboxNotice />}
          <output className={classes['status']}>
            <InvoiceStatusBadge status={invoice.status} />
            <p>{t(`statusTexts.${invoice.status}`)}</p>
          </output>
          {invoice.status === 'PENDING' ? <PayDetails invoice={invoice} /> : <InvoiceFacts invoice={invoice} />}
          {invoice.isSandbox && isOpen(invoice) && <SandboxPayment invoice={invoice} />}
        </Stack>
      )}
    </Dialog>
  );
}

function InvoiceFacts({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation('payment');
  return (
    <Facts
      items={[
        { label: t('table.amountInCurrency'), value: withTicker(invoice) },
        { label: t('pay.network'), value: t(`networks.${invoice.currency}`) },
        { label: t('pay.address'), value: invoice.address },
        { label: t('table.createdAt'), value: formatDate(invoice.createdAt) },
        { label: t('table.expiredAt'), value: formatDate(invoice.expiredAt) },
      ]}
    />
  );
}

function SandboxPayment({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation(['payment', 'common']);
  const { isDevelopment } = useSettings();
  const payment = usePayInvoice();
  if (!isDevelopment) return null;
  return (
    <Button
      size="md"
      leftSection={<IconFlask size={18} aria-hidden="true" />}
      loading={payment.isPending}
      disabled={invoice.status === 'CONFIRMING'}
      onClick={() =>
        payment.mutate(invoice.id, {
          onSuccess: () => showToast('success', t('pay.sandboxPaid')),
          onError: (error) => showErrorToast(error),
        })
      }
    >
      {t('pay.sandboxPay')}
    </Button>
  );
}
