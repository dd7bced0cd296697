import type { AuditEntry } from '@cellhop/contract/staff/audit-log';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { formatMoment } from '../../format/format.ts';
import { oneOf } from '../../loading/search-values.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { UserLink } from '../staff-parts/user-link.tsx';
import { auditActions, subjectTypes } from '@cellhop/contract/staff/audit-log.values';
import { screenOf } from './subject-screen.ts';
import { describeValues } from './describe-values.ts';
import classes from './entries-table.module.css';

export function EntriesTable({ entries }: { entries: readonly AuditEntry[] | undefined }) {
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
  const screen = screenOf(known, subject.id);
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
