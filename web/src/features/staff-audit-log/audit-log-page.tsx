import { EMAIL_LENGTH_MAX } from '@cellhop/contract/limits';
import type { AuditEntry } from '@cellhop/contract/staff/audit-log';
import { auditActions, auditReasons, subjectTypes } from '@cellhop/contract/staff/audit-log.values';
import { MultiSelect, Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { apiQuery, pageQuery } from '../../data/query.ts';
import { useList } from '../../data/use-list.ts';
import { formatMoment } from '../../format/format.ts';
import { oneOf } from '../../loading/search-values.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import { toLimitedRange } from '../staff-parts/continuation.ts';
import { ContinuedList } from '../staff-parts/continued-list.tsx';
import { DayRange, FilterPanel } from '../staff-parts/filter-panel.tsx';
import { FilterText } from '../staff-parts/filter-text.tsx';
import { OfUserNotice } from '../staff-parts/user-tabs.tsx';
import classes from './entries-table.module.css';
import { EntryDetails } from './entry-details.tsx';
import { staffAuditLogScreen, type StaffAuditLogSearch } from './screen.ts';
import { Sentence } from './sentence.tsx';

export function AuditLogPage() {
  const [search, change] = useScreenSearch(staffAuditLogScreen);
  const { t } = useTranslation('staffSystem');
  const entries = useAuditLog(search);
  return (
    <>
      <OfUserNotice userId={search.userId} />
      <AuditLogFilter search={search} onChange={(filter) => change({ ...filter, page: undefined })} />
      <ContinuedList
        list={entries}
        page={search.page ?? 1}
        onPage={(page) => change({ page })}
        moments={search}
        onMoments={(moments) => change({ ...moments, page: undefined })}
        order="NEWEST_FIRST"
        failureText={t('log.failed')}
        empty={<EmptyList text={t('log.empty')} />}
      >
        {(rows) => <EntriesTable entries={rows} />}
      </ContinuedList>
    </>
  );
}

function useAuditLog({ page = 1, from, to, since, until, ...filter }: StaffAuditLogSearch) {
  const query = { ...pageQuery(page), ...filter, ...toLimitedRange({ from, to, since, until }) };
  return useList(apiQuery('GET /v1/audit-log/admin', { query }));
}

interface AuditLogFilterProps {
  search: StaffAuditLogSearch;
  onChange: (change: Partial<StaffAuditLogSearch>) => void;
}

function AuditLogFilter({ search, onChange }: AuditLogFilterProps) {
  const { t } = useTranslation('staffSystem');
  const { actor, action = [], subjectType, subjectId, from, to } = search;
  return (
    <FilterPanel filter={{ actor, action, subjectType, subjectId, from, to }} onReset={onChange}>
      <FilterText
        label={t('log.actor')}
        placeholder={t('log.actorHint')}
        maxLength={EMAIL_LENGTH_MAX}
        value={actor}
        onChange={(text) => onChange({ actor: text })}
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

function EntriesTable({ entries }: { entries: readonly AuditEntry[] | undefined }) {
  const { t } = useTranslation('staffSystem');
  const columns: Column<AuditEntry>[] = [
    {
      key: 'createdAt',
      header: t('log.when'),
      isUnbroken: true,
      width: 14,
      place: 'line',
      render: ({ createdAt }) => <time dateTime={createdAt}>{formatMoment(createdAt)}</time>,
    },
    { key: 'what', header: t('log.what'), width: 56, place: 'heading', render: (entry) => <Entry entry={entry} /> },
  ];
  return <DataTable label={t('log.label')} columns={columns} rows={entries} rowKey={({ id }) => id} />;
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation('staffSystem');
  const known = oneOf(entry.reason, auditReasons);
  const reason = known === undefined ? entry.reason : t(`log.reasons.${known}`);
  return (
    <div className={classes['entry']}>
      <p>
        <Sentence entry={entry} />
      </p>
      {reason !== null && <p className={classes['reason']}>{t('log.reason', { reason })}</p>}
      <EntryDetails entry={entry} />
    </div>
  );
}
