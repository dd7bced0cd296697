import type { Invoice } from '@cellhop/contract/invoices';
import { Checkbox, Group } from '@mantine/core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate, formatMoney } from '../../format/format.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { CreateButton } from '../../ui/create-button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { showToast } from '../../ui/toasts.ts';
import { RowButton, Time } from '../../ui/columns.tsx';
import { useInvoice, useInvoices } from './api.ts';
import { CreateInvoiceForm } from './create-invoice-form.tsx';
import { CurrencyName } from './currency-name.tsx';
import { InvoiceStatusBadge } from './invoice-status-badge.tsx';
import classes from './invoices-table.module.css';
import { PayDialog } from './pay-dialog.tsx';
import { invoicesScreen } from './screen.ts';
import { ShortenedAddress } from './shortened-address.tsx';
import { withTicker } from './ticker.ts';

export function InvoicesPage() {
  const [{ page = 1, create = false, expired = false, invoice: shownId }, change] = useScreenSearch(invoicesScreen);
  const { t } = useTranslation('payment');
  const invoices = useInvoices({ page, hasExpired: expired });
  const { row: shown, isMissing } = useInvoice(shownId, invoices.rows);

  useEffect(() => {
    if (!isMissing) return;
    showToast('warning', t('missing'));
    show(undefined);
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isMissing]);

  function show(id: string | undefined) {
    change({ create: undefined, invoice: id }, { replace: id === undefined, resetScroll: false });
  }

  function setCreating(isCreating: boolean) {
    change({ create: isCreating || undefined, invoice: undefined }, { replace: !isCreating });
  }

  /** Replaces the history entry: the back button must not reopen the dialog. */
  function showInstead({ id }: Invoice) {
    change({ page: undefined, create: undefined, invoice: id }, { replace: true });
  }

  return (
    <>
      <Group mb="lg" gap="lg">
        <CreateButton text={t('create.open')} onClick={() => setCreating(true)} />
        <Checkbox
          label={t('table.showExpired')}
          checked={expired}
          onChange={({ currentTarget: { checked } }) =>
            change({ page: undefined, expired: checked || undefined }, { replace: true })
          }
        />
      </Group>
      <PagedList
        list={invoices}
        page={page}
        onPage={(chosen) => change({ page: chosen, create: undefined, invoice: undefined })}
        failureText={t('table.failed')}
        empty={<EmptyList text={t(expired ? 'table.empty' : 'table.emptyButExpired')} />}
      >
        {(rows) => <InvoicesTable invoices={rows} onShow={({ id }) => show(id)} />}
      </PagedList>
      <Dialog isOpen={create} title={t('create.title')} size="sm" onClose={() => setCreating(false)}>
        <CreateInvoiceForm onCreated={showInstead} onShow={showInstead} />
      </Dialog>
      <PayDialog invoice={shown} onClose={() => show(undefined)} onCreateNew={() => setCreating(true)} />
    </>
  );
}

interface InvoicesTableProps {
  invoices: readonly Invoice[] | undefined;
  onShow: (invoice: Invoice) => void;
}

function InvoicesTable({ invoices, onShow }: InvoicesTableProps) {
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
      place: 'line',
      width: 7.7,
      header: t('table.amountInCurrency'),
      isNumeric: true,
      render: withTicker,
    },
    {
      key: 'currency',
      place: 'none',
      width: 8,
      header: t('table.currency'),
      render: ({ currency }) => <CurrencyName currency={currency} />,
    },
    {
      key: 'address',
      place: 'none',
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
      place: 'none',
      width: 8.5,
      header: t('table.expiredAt'),
      render: (row) => formatDate(row.expiredAt),
    },
    {
      key: 'createdAt',
      place: 'line',
      width: 8.5,
      header: t('table.createdAt'),
      render: (row) => <Time at={row.createdAt} />,
    },
    {
      key: 'action',
      width: 7.1,
      header: t('table.action'),
      place: 'action',
      render: (invoice) => <DetailsButton invoice={invoice} onClick={() => onShow(invoice)} />,
    },
  ];
  return <DataTable label={t('table.label')} columns={columns} rows={invoices} rowKey={({ id }) => id} isDense />;
}

function DetailsButton({ invoice: { amount, currency }, onClick }: { invoice: Invoice; onClick: () => void }) {
  const { t } = useTranslation('payment');
  return (
    <RowButton
      text={t('table.details')}
      label={t('table.detailsOf', { amount: formatMoney(amount), currency: t(`networks.${currency}`) })}
      variant="default"
      onClick={onClick}
    />
  );
}
