import { INVOICE_FILTER_DOLLARS_MAX } from '@cellhop/contract/limits';
import { currencies, invoiceStatuses } from '@cellhop/contract/invoices.values';
import type { StaffInvoice } from '@cellhop/contract/staff/invoices';
import { invoiceSorts } from '@cellhop/contract/staff/lists.values';
import { MultiSelect } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMoney } from '../../format/format.ts';
import { readNumber } from '../../format/number-kinds.ts';
import { oneOf } from '../../loading/search-values.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import { RowButton, timeColumn } from '../../ui/columns.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { CurrencyName } from '../invoices/currency-name.tsx';
import { InvoiceStatusBadge } from '../invoices/invoice-status-badge.tsx';
import { ShortenedAddress } from '../invoices/shortened-address.tsx';
import { withTicker } from '../invoices/ticker.ts';
import { toTimeOrder } from '../staff-parts/continuation.ts';
import { ContinuedList } from '../staff-parts/continued-list.tsx';
import { ExportButton } from '../staff-parts/export-button.tsx';
import { DayRange, FilterPanel } from '../staff-parts/filter-panel.tsx';
import { SavedFilters } from '../staff-parts/saved-filters.tsx';
import { UserLink } from '../staff-parts/user-link.tsx';
import { OfUserNotice } from '../staff-parts/user-tabs.tsx';
import { toInvoicesQuery, useInvoicesOfUsers } from './api.ts';
import { SuspendedPayments } from './suspended-payments.tsx';
import { InvoiceDialog } from './invoice-dialog.tsx';
import { UnassignedPayments } from './unassigned-payments.tsx';
import { staffInvoicesScreen, type StaffInvoicesSearch, staffInvoicesSearch } from './screen.ts';

const bounds = { max: INVOICE_FILTER_DOLLARS_MAX };
/** A change of the filter starts at the first page. */
const FIRST = { page: undefined };

export function InvoicesPage() {
  const [search, change] = useScreenSearch(staffInvoicesScreen);
  const { t } = useTranslation('staffMoney');
  const invoices = useInvoicesOfUsers(search);
  return (
    <>
      <OfUserNotice userId={search.userId} current="invoices" />
      <SuspendedPayments />
      <UnassignedPayments />
      <InvoicesFilter search={search} onChange={(filter) => change({ ...filter, ...FIRST })} />
      <SavedFilters list="invoices" filter={toFilter(search)} onApply={(saved) => change(staffInvoicesSearch(saved))} />
      <ContinuedList
        list={invoices}
        page={search.page ?? 1}
        onPage={(page) => change({ page })}
        moments={search}
        onMoments={(moments) => change({ ...moments, ...FIRST })}
        order={toTimeOrder(search.sort ?? invoiceSorts[0])}
        failureText={t('invoices.failed')}
        empty={<EmptyList text={t('invoices.empty')} />}
      >
        {(rows) => (
          <InvoicesTable
            invoices={rows}
            sort={search.sort ?? invoiceSorts[0]}
            onSort={(sort) => change({ sort: oneOf(sort, invoiceSorts), ...FIRST })}
            onShow={({ id }) => change({ invoice: id })}
          />
        )}
      </ContinuedList>
      <InvoiceDialog id={search.invoice} onClose={() => change({ invoice: undefined })} />
    </>
  );
}

/** What a saved filter keeps. */
function toFilter({ userId, status, currency, from, to, min, max }: StaffInvoicesSearch) {
  return { userId, status, currency, from, to, min, max };
}

interface InvoicesFilterProps {
  search: StaffInvoicesSearch;
  onChange: (change: Partial<StaffInvoicesSearch>) => void;
}

function InvoicesFilter({ search, onChange }: InvoicesFilterProps) {
  const { t } = useTranslation(['staffMoney', 'payment']);
  const { status = [], currency = [], from, to, min, max } = search;
  return (
    <FilterPanel
      filter={{ status, currency, from, to, min, max }}
      onReset={onChange}
      actions={<ExportButton endpoint="GET /v1/payments/admin/invoices/export" query={toInvoicesQuery(search)} />}
    >
      <MultiSelect
        label={t('invoices.status')}
        placeholder={status.length === 0 ? t('invoices.any') : ''}
        data={invoiceStatuses.map((value) => ({ value, label: t(`payment:statuses.${value}`) }))}
        value={status}
        onChange={(values) => onChange({ status: values.flatMap((value) => oneOf(value, invoiceStatuses) ?? []) })}
        withScrollArea={false}
      />
      <MultiSelect
        label={t('invoices.currency')}
        placeholder={currency.length === 0 ? t('invoices.any') : ''}
        data={currencies.map((value) => ({ value, label: t(`payment:networks.${value}`) }))}
        value={currency}
        onChange={(values) => onChange({ currency: values.flatMap((value) => oneOf(value, currencies) ?? []) })}
        withScrollArea={false}
      />
      <DayRange days={{ from, to }} onChange={onChange} />
      <AmountField label={t('invoices.amountMin')} amount={min} onChange={(amount) => onChange({ min: amount })} />
      <AmountField label={t('invoices.amountMax')} amount={max} onChange={(amount) => onChange({ max: amount })} />
    </FilterPanel>
  );
}

interface AmountFieldProps {
  label: string;
  amount: number | undefined;
  onChange: (amount: number | undefined) => void;
}

/** Applied by the enter key, or when it is left. */
function AmountField({ label, amount, onChange }: AmountFieldProps) {
  const written = amount === undefined ? '' : formatMoney(amount);
  const [text, setText] = useState(written);
  const [lastWritten, setLastWritten] = useState(written);
  if (lastWritten !== written) {
    setLastWritten(written);
    // Changed from outside: by the back button, a reset, or a link.
    if (readNumber('exactMoney', text, bounds).value !== amount) setText(written);
  }

  function apply(): void {
    const { value } = readNumber('exactMoney', text, bounds);
    if (value !== amount && (value !== undefined || text.trim() === '')) onChange(value);
  }

  return (
    <NumberField
      kind="exactMoney"
      {...bounds}
      label={label}
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={apply}
      onKeyDown={({ key }) => key === 'Enter' && apply()}
    />
  );
}

interface InvoicesTableProps {
  invoices: readonly StaffInvoice[] | undefined;
  sort: string;
  onSort: (sort: string) => void;
  onShow: (invoice: StaffInvoice) => void;
}

function InvoicesTable({ invoices, sort, onSort, onShow }: InvoicesTableProps) {
  const { t } = useTranslation(['staffMoney', 'payment', 'staff']);
  const columns: Column<StaffInvoice>[] = [
    { key: 'user', header: t('staff:user'), place: 'heading', render: ({ user }) => <UserLink user={user} /> },
    ...useDemandColumns(),
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
      place: 'none',
      render: ({ payment }) => formatMoney(payment?.credited ?? 0),
    },
    { ...timeColumn('createdAt', t('payment:table.createdAt')), place: 'line', firstOrder: 'descending' },
    {
      key: 'action',
      header: t('payment:table.action'),
      place: 'action',
      render: (invoice) => (
        <RowButton
          text={t('payment:table.details')}
          label={t('invoices.detailsOf', { amount: formatMoney(invoice.amount), email: invoice.user.email })}
          variant="default"
          onClick={() => onShow(invoice)}
        />
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

/** What was to be paid, and where. */
function useDemandColumns(): Column<StaffInvoice>[] {
  const { t } = useTranslation('payment');
  return [
    {
      key: 'amount',
      header: t('table.amount'),
      isNumeric: true,
      place: 'heading',
      firstOrder: 'descending',
      render: ({ amount }) => <strong>{formatMoney(amount)}</strong>,
    },
    {
      key: 'amountInCurrency',
      place: 'line',
      header: t('table.amountInCurrency'),
      isNumeric: true,
      isUnbroken: true,
      render: withTicker,
    },
    {
      key: 'network',
      place: 'none',
      header: t('table.currency'),
      render: ({ currency }) => <CurrencyName currency={currency} />,
    },
    {
      key: 'address',
      place: 'none',
      header: t('table.address'),
      render: ({ address }) => <ShortenedAddress address={address} />,
    },
  ];
}
