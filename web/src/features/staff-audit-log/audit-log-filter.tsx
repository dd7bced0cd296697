import { EMAIL_LENGTH_MAX } from '@cellhop/contract/limits';
import { MultiSelect, Select, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { oneOf } from '../../loading/search-values.ts';
import { DayRange } from '../staff-parts/day-range.tsx';
import { FilterPanel } from '../staff-parts/filter-panel.tsx';
import { auditActions, subjectTypes } from '@cellhop/contract/staff/audit-log.values';
import type { StaffAuditLogSearch } from './screen.ts';

interface AuditLogFilterProps {
  search: StaffAuditLogSearch;
  onChange: (change: Partial<StaffAuditLogSearch>) => void;
}

const NOTHING = {
  actor: undefined,
  action: undefined,
  subjectType: undefined,
  subjectId: undefined,
  from: undefined,
  to: undefined,
} satisfies Partial<StaffAuditLogSearch>;

export function AuditLogFilter({ search, onChange }: AuditLogFilterProps) {
  const { t } = useTranslation('staffSystem');
  const { actor, action = [], subjectType, from, to } = search;
  const isEmpty = [actor, subjectType, from, to, ...action].every((value) => value === undefined);
  const findActor = (text: string) => onChange({ actor: text.trim() === '' ? undefined : text.trim() });
  return (
    <FilterPanel onReset={isEmpty ? undefined : () => onChange(NOTHING)}>
      <TextInput
        label={t('log.actor')}
        placeholder={t('log.actorHint')}
        autoComplete="off"
        maxLength={EMAIL_LENGTH_MAX}
        defaultValue={actor ?? ''}
        // A reset, or a link with another actor, starts a new field.
        key={actor ?? ''}
        onBlur={({ currentTarget: { value } }) => value.trim() !== (actor ?? '') && findActor(value)}
        onKeyDown={({ key, currentTarget: { value } }) => key === 'Enter' && findActor(value)}
      />
      <MultiSelect
        label={t('log.action')}
        placeholder={action.length === 0 ? t('log.any') : ''}
        data={auditActions.map((value) => ({ value, label: t(`actions.${value}`) }))}
        value={action}
        onChange={(values) => onChange({ action: values.flatMap((value) => oneOf(value, auditActions) ?? []) })}
        withScrollArea={false}
        searchable
      />
      <Select
        label={t('log.subject')}
        placeholder={t('log.any')}
        data={subjectTypes.map((value) => ({ value, label: t(`subjects.${value}`) }))}
        value={subjectType ?? null}
        clearable
        onChange={(value) => onChange({ subjectType: oneOf(value, subjectTypes), subjectId: undefined })}
        withScrollArea={false}
      />
      <DayRange days={{ from, to }} onChange={onChange} />
    </FilterPanel>
  );
}
