import type { Invoice } from '@cellhop/contract/invoices';
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatDate, formatMoney } from '../../lib/format.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { InvoiceStatusBadge } from './invoice-status-badge.tsx';
import classes from './invoices-table.module.css';
import { withTicker } from './ticker.ts';

interface InvoicesTableProps {
  invoices: readonly Invoice[] | undefined;
  onShow: (invoice: Invoice) => void;
}

export function InvoicesTable({ invoices, onShow }: InvoicesTableProps) {
  const { t } = useTranslation('payment');
  const columns: Column<Invoice>[] = [
    {
      key: 'amount',
      header: t('table.amount'),
      isNumeric: true,
      place: 'heading',
      render: ({ amount }) => <strong className={classes['amount']}>{formatMoney(amount)}</strong>,
    },
    {
      key: 'amountInCurrency',
      header: t('table.amountInCurrency'),
      isNumeric: true,
      render: withTicker,
    },
    { key: 'currency', header: t('table.currency'), render: ({ currency }) => t(`networks.${currency}`) },
    {
      key: 'address',
      header: t('table.address'),
      render: ({ address }) => (
        <code className={classes['address']} title={address}>
          {address}
        </code>
      ),
    },
    {
      key: 'status',
      header: t('table.status'),
      place: 'heading',
      render: ({ status }) => <InvoiceStatusBadge status={status} />,
    },
    { key: 'expiredAt', header: t('table.expiredAt'), isNumeric: true, render: (row) => formatDate(row.expiredAt) },
    { key: 'createdAt', header: t('table.createdAt'), isNumeric: true, render: (row) => formatDate(row.createdAt) },
    {
      key: 'action',
      header: t('table.action'),
      place: 'action',
      stick: 'right',
      render: (invoice) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t('table.detailsOf', {
            amount: formatMoney(invoice.amount),
            currency: t(`networks.${invoice.currency}`),
          })}
          onClick={() => onShow(invoice)}
        >
          {t('table.details')}
        </Button>
      ),
    },
  ];
  return <DataTable label={t('table.label')} columns={columns} rows={invoices} rowKey={({ id }) => id} />;
}
