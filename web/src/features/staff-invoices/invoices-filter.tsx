import { currencies } from '@cellhop/contract/invoices.values';
import { MultiSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { parseAmount } from '../../format/amount.ts';
import { oneOf } from '../../loading/search-values.ts';
import { invoiceStatuses } from '../invoices/invoice-statuses.ts';
import { DayRange } from '../staff-parts/day-range.tsx';
import { FilterPanel } from '../staff-parts/filter-panel.tsx';
import type { StaffInvoicesSearch } from './screen.ts';

interface InvoicesFilterProps {
  search: StaffInvoicesSearch;
  onChange: (change: Partial<StaffInvoicesSearch>) => void;
}

const NOTHING = {
  status: undefined,
  currency: undefined,
  from: undefined,
  to: undefined,
  min: undefined,
  max: undefined,
} satisfies Partial<StaffInvoicesSearch>;

export function InvoicesFilter({ search, onChange }: InvoicesFilterProps) {
  const { t } = useTranslation(['staffMoney', 'payment']);
  const { status = [], currency = [], from, to, min, max } = search;
  const isEmpty = [from, to, min, max, ...status, ...currency].every((value) => value === undefined);
  return (
    <FilterPanel onReset={isEmpty ? undefined : () => onChange(NOTHING)}>
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

function AmountField({ label, amount, onChange }: AmountFieldProps) {
  const { t } = useTranslation('common');
  const [isInvalid, setInvalid] = useState(false);

  function apply(text: string): void {
    const typed = parseAmount(text, { decimals: 6 });
    setInvalid(typed === undefined && text.trim() !== '');
    if (typed !== undefined || text.trim() === '') onChange(typed);
  }

  return (
    <TextInput
      label={label}
      inputMode="decimal"
      autoComplete="off"
      defaultValue={amount ?? ''}
      error={isInvalid && t('form.amount')}
      // A reset, or a link with another amount, starts a new field.
      key={amount === undefined ? 'none' : 'some'}
      onBlur={({ currentTarget: { value } }) => apply(value)}
      onKeyDown={({ key, currentTarget: { value } }) => key === 'Enter' && apply(value)}
    />
  );
}
