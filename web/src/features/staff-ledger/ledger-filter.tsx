import { transactionKinds } from '@cellhop/contract/transactions.values';
import { MultiSelect } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { isKind } from '../transactions/choice.ts';
import { DayRange } from '../staff-parts/day-range.tsx';
import { FilterPanel } from '../staff-parts/filter-panel.tsx';
import type { StaffLedgerSearch } from './screen.ts';

interface LedgerFilterProps {
  search: StaffLedgerSearch;
  onChange: (change: Partial<StaffLedgerSearch>) => void;
}

export function LedgerFilter({ search, onChange }: LedgerFilterProps) {
  const { t } = useTranslation('transaction');
  const { kind = [], from, to } = search;
  const isEmpty = kind.length === 0 && from === undefined && to === undefined;
  const reset = () => onChange({ kind: undefined, from: undefined, to: undefined });
  return (
    <FilterPanel onReset={isEmpty ? undefined : reset}>
      <MultiSelect
        label={t('filter.kind')}
        placeholder={kind.length === 0 ? t('filter.allKinds') : ''}
        data={transactionKinds.map((value) => ({ value, label: t(`kinds.${value}`) }))}
        value={kind}
        onChange={(values) => onChange({ kind: values.filter(isKind) })}
        withScrollArea={false}
      />
      <DayRange days={{ from, to }} onChange={onChange} />
    </FilterPanel>
  );
}
