import type { StaffInvoice } from '@cellhop/contract/staff/invoices';
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatDate, formatMoney } from '../../format/format.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { InvoiceStatusBadge } from '../invoices/invoice-status-badge.tsx';
import { withTicker } from '../invoices/ticker.ts';
import { UserLink } from '../staff-parts/user-link.tsx';

interface InvoicesTableProps {
  invoices: readonly StaffInvoice[] | undefined;
  sort: string;
  onSort: (sort: string) => void;
  onShow: (invoice: StaffInvoice) => void;
}

export function InvoicesTable({ invoices, sort, onSort, onShow }: InvoicesTableProps) {
  const { t } = useTranslation(['staffMoney', 'payment', 'staff']);
  const columns: Column<StaffInvoice>[] = [
    { key: 'user', header: t('staff:user'), place: 'heading', render: ({ user }) => <UserLink user={user} /> },
    {
      key: 'amount',
      header: t('payment:table.amount'),
      isNumeric: true,
      place: 'heading',
      firstOrder: 'descending',
      render: ({ amount }) => <strong>{formatMoney(amount)}</strong>,
    },
    {
      key: 'amountInCurrency',
      header: t('payment:table.amountInCurrency'),
      isNumeric: true,
      isUnbroken: true,
      render: withTicker,
    },
    {
      key: 'status',
      header: t('payment:table.status'),
      place: 'heading',
      render: ({ status }) => <InvoiceStatusBadge status={status} />,
    },
    {
      key: 'credited',
      header: t('invoices.credited'),
      isNumeric: true,
      render: ({ payment }) => formatMoney(payment?.credited ?? 0),
    },
    { key: 'expiredAt', header: t('payment:table.expiredAt'), render: ({ expiredAt }) => formatDate(expiredAt) },
    {
      key: 'createdAt',
      header: t('payment:table.createdAt'),
      firstOrder: 'descending',
      render: ({ createdAt }) => formatDate(createdAt),
    },
    {
      key: 'action',
      header: t('payment:table.action'),
      place: 'action',
      isLast: true,
      render: (invoice) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t('invoices.detailsOf', { amount: formatMoney(invoice.amount), email: invoice.user.email })}
          onClick={() => onShow(invoice)}
        >
          {t('payment:table.details')}
        </Button>
      ),
    },
  ];
  return (
    <DataTable
      label={t('invoices.label')}
      columns={columns}
      rows={invoices}
      rowKey={({ id }) => id}
      isDense
      sort={sort}
      onSort={onSort}
    />
  );
}
