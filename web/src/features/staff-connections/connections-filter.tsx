import { Select, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { oneOf } from '../../loading/search-values.ts';
import { DayRange } from '../staff-parts/day-range.tsx';
import { FilterPanel } from '../staff-parts/filter-panel.tsx';
import { type StaffConnectionsSearch, statuses } from './screen.ts';

interface ConnectionsFilterProps {
  search: StaffConnectionsSearch;
  onChange: (change: StaffConnectionsSearch) => void;
}

const NOTHING = {
  id: undefined,
  status: undefined,
  ip: undefined,
  from: undefined,
  to: undefined,
} satisfies StaffConnectionsSearch;

export function ConnectionsFilter({ search, onChange }: ConnectionsFilterProps) {
  const { t } = useTranslation(['staffConnections', 'proxyConnection', 'common']);
  const { id, status, ip, from, to } = search;
  const isEmpty = [id, status, ip, from, to].every((value) => value === undefined);
  return (
    <FilterPanel onReset={isEmpty ? undefined : () => onChange(NOTHING)}>
      <Select
        label={t('proxyConnection:table.status')}
        placeholder={t('filter.any')}
        data={statuses.map((value) => ({ value, label: t(`statuses.${value}`) }))}
        value={status ?? null}
        clearable
        onChange={(value) => onChange({ status: oneOf(value, statuses) })}
        withScrollArea={false}
      />
      <TextInput
        label={t('common:location.ip')}
        autoComplete="off"
        spellCheck={false}
        defaultValue={ip ?? ''}
        // A reset, or a link with another address, starts a new field.
        key={ip ?? ''}
        onBlur={({ currentTarget: { value } }) => value.trim() !== (ip ?? '') && onChange({ ip: value })}
        onKeyDown={({ key, currentTarget: { value } }) => key === 'Enter' && onChange({ ip: value })}
      />
      <DayRange days={{ from, to }} onChange={onChange} />
    </FilterPanel>
  );
}
