import { EMAIL_LENGTH_MAX } from '@cellhop/contract/limits';
import type { AuditEntry } from '@cellhop/contract/staff/audit-log';
import { auditActions, subjectTypes } from '@cellhop/contract/staff/audit-log.values';
import { MultiSelect, Select } from '@mantine/core';
import { Link } from '@tanstack/react-router';
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
import { DayRange, FilterPanel, OfUserNotice } from '../staff-parts/filter-panel.tsx';
import { FilterText } from '../staff-parts/filter-text.tsx';
import { UserLink } from '../staff-parts/user-link.tsx';
import { describeValues } from './describe-values.ts';
import classes from './entries-table.module.css';
import { staffAuditLogScreen, type StaffAuditLogSearch } from './screen.ts';
import { subjectScreen } from './subject-screen.ts';

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
  const { t } = useTranslation(['staffSystem', 'staff']);
  const columns: Column<AuditEntry>[] = [
    { key: 'createdAt', header: t('log.when'), place: 'heading', render: ({ createdAt }) => formatMoment(createdAt) },
    {
      key: 'actor',
      header: t('log.actor'),
      place: 'heading',
      render: ({ actor }) => (actor === null ? t('log.nobody') : <UserLink user={actor} />),
    },
    { key: 'action', header: t('log.action'), place: 'heading', render: ({ action }) => <Action action={action} /> },
    { key: 'subject', header: t('log.subject'), render: (entry) => <Subject entry={entry} /> },
    { key: 'user', header: t('log.user'), render: ({ user }) => (user === null ? '—' : <UserLink user={user} />) },
    { key: 'before', header: t('log.before'), render: ({ before }) => <Values values={before} /> },
    { key: 'after', header: t('log.after'), render: ({ after }) => <Values values={after} /> },
    { key: 'reason', header: t('staff:reason.label'), render: ({ reason }) => reason ?? '—' },
    { key: 'details', header: t('log.details'), render: ({ details }) => <Values values={details} /> },
    {
      key: 'from',
      header: t('log.from'),
      render: ({ ip, device }) => (ip === null && device === null ? '—' : [ip, device].filter(Boolean).join(', ')),
    },
  ];
  return <DataTable label={t('log.label')} columns={columns} rows={entries} rowKey={({ id }) => id} isDense />;
}

/** Older releases may have recorded actions that this one does not know. */
function Action({ action }: { action: string }) {
  const { t } = useTranslation('staffSystem');
  const known = oneOf(action, auditActions);
  return known === undefined ? action : t(`actions.${known}`);
}

function Subject({ entry: { subject } }: { entry: AuditEntry }) {
  const { t } = useTranslation('staffSystem');
  if (subject === null) return '—';
  const known = oneOf(subject.type, subjectTypes);
  if (known === undefined) return subject.type;
  const screen = subjectScreen(known, subject.id);
  return screen === undefined ? t(`subjects.${known}`) : <Link {...screen}>{t(`subjects.${known}`)}</Link>;
}

function Values({ values }: { values: Record<string, unknown> | null }) {
  const described = describeValues(values);
  if (described.length === 0) return '—';
  return (
    <ul className={classes['values']}>
      {described.map(({ name, text }) => (
        <li key={name}>
          {name}: <b>{text}</b>
        </li>
      ))}
    </ul>
  );
}
