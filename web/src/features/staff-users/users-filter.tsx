import { EMAIL_PART_LENGTH_MIN } from '@cellhop/contract/staff/users.values';
import { Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DayRange } from '../staff-parts/day-range.tsx';
import { FilterPanel } from '../staff-parts/filter-panel.tsx';
import { type StaffUsersSearch, staffUsersSearch, userStatuses } from './screen.ts';

interface UsersFilterProps {
  search: StaffUsersSearch;
  /** Undefined while they load. */
  roleNames: readonly string[] | undefined;
  onChange: (search: StaffUsersSearch) => void;
}

/** Applied immediately and kept in the URL. */
export function UsersFilter({ search, roleNames, onChange }: UsersFilterProps) {
  const { t } = useTranslation('staffUsers');
  const { status, role, confirmed, referralId, sort } = search;
  const change = (changed: object) => onChange(staffUsersSearch({ ...search, page: 1, ...changed }));
  const isFiltered = [search.email, status, role, confirmed, search.from, search.to].some((each) => each !== undefined);
  return (
    <FilterPanel onReset={isFiltered ? () => onChange({ referralId, sort }) : undefined}>
      <EmailField value={search.email ?? ''} onChange={(email) => change({ email })} />
      <Select
        label={t('fields.status')}
        placeholder={t('filter.all')}
        data={userStatuses.map((value) => ({ value, label: t(`statuses.${value}`) }))}
        value={status ?? null}
        onChange={(value) => change({ status: value })}
        clearable
      />
      <Select
        label={t('fields.role')}
        placeholder={t('filter.all')}
        data={[...new Set([...(roleNames ?? []), ...(role === undefined ? [] : [role])])]}
        value={role ?? null}
        onChange={(value) => change({ role: value })}
        clearable
        searchable
      />
      <Select
        label={t('filter.confirmation')}
        placeholder={t('filter.all')}
        data={[
          { value: 'true', label: t('email.confirmed') },
          { value: 'false', label: t('email.unconfirmed') },
        ]}
        value={confirmed ?? null}
        onChange={(value) => change({ confirmed: value })}
        clearable
      />
      <DayRange days={search} onChange={change} />
    </FilterPanel>
  );
}

interface EmailFieldProps {
  value: string;
  onChange: (email: string) => void;
}

/** Short texts stay in the field: they are not searched for. */
function EmailField({ value, onChange }: EmailFieldProps) {
  const { t } = useTranslation('staffUsers');
  const [text, setText] = useState(value);
  const [lastValue, setLastValue] = useState(value);
  if (lastValue !== value) {
    setLastValue(value);
    // Changed by the back button or a reset.
    if (value !== text.trim() && (value !== '' || text.trim().length >= EMAIL_PART_LENGTH_MIN)) setText(value);
  }
  return (
    <TextInput
      type="search"
      label={t('fields.email')}
      placeholder={t('filter.emailHint', { value: EMAIL_PART_LENGTH_MIN })}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        const email = currentTarget.value.trim();
        onChange(email.length >= EMAIL_PART_LENGTH_MIN ? email : '');
      }}
    />
  );
}
