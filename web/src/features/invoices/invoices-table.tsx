import type { Invoice } from '@cellhop/contract/invoices';
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatDate, formatMoney } from '../../format/format.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { InvoiceStatusBadge } from './invoice-status-badge.tsx';
import classes from './invoices-table.module.css';
import { withTicker } from './ticker.ts';

/** The end of an address, which users compare, stays visible when the column is too narrow for all of it. */
const END_LENGTH = 6;

interface InvoicesTableProps {
  invoices: readonly Invoice[] | undefined;
  onShow: (invoice: Invoice) => void;
}

export function InvoicesTable({ invoices, onShow }: InvoicesTableProps) {
  const { t } = useTranslation('payment');
  const columns: Column<Invoice>[] = [
    {
      key: 'amount',
      width: 5.6,
      header: t('table.amount'),
      isNumeric: true,
      place: 'heading',
      render: ({ amount }) => <strong className={classes['amount']}>{formatMoney(amount)}</strong>,
    },
    {
      key: 'amountInCurrency',
      width: 7.7,
      header: t('table.amountInCurrency'),
      isNumeric: true,
      render: withTicker,
    },
    { key: 'currency', width: 6.4, header: t('table.currency'), render: ({ currency }) => t(`networks.${currency}`) },
    {
      key: 'address',
      width: 7,
      header: t('table.address'),
      render: ({ address }) => <ShortenedAddress address={address} />,
    },
    {
      key: 'status',
      width: 9.9,
      header: t('table.status'),
      place: 'heading',
      render: ({ status }) => <InvoiceStatusBadge status={status} />,
    },
    {
      key: 'expiredAt',
      width: 8.5,
      header: t('table.expiredAt'),
      render: (row) => formatDate(row.expiredAt),
    },
    {
      key: 'createdAt',
      width: 8.5,
      header: t('table.createdAt'),
      render: (row) => formatDate(row.createdAt),
    },
    {
      key: 'action',
      width: 7.1,
      header: t('table.action'),
      place: 'action',
      isLast: true,
      render: (invoice) => <DetailsButton invoice={invoice} onClick={() => onShow(invoice)} />,
    },
  ];
  return <DataTable label={t('table.label')} columns={columns} rows={invoices} rowKey={({ id }) => id} isDense />;
}

function ShortenedAddress({ address }: { address: string }) {
  return (
    <code className={classes['address']} title={address}>
      <span>{address.slice(0, -END_LENGTH)}</span>
      {address.slice(-END_LENGTH)}
    </code>
  );
}

function DetailsButton({ invoice: { amount, currency }, onClick }: { invoice: Invoice; onClick: () => void }) {
  const { t } = useTranslation('payment');
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={t('table.detailsOf', { amount: formatMoney(amount), currency: t(`networks.${currency}`) })}
      onClick={onClick}
    >
      {t('table.details')}
    </Button>
  );
}
