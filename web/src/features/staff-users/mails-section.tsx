import type { SentMail } from '@cellhop/contract/staff/mails';
import { useTranslation } from 'react-i18next';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';
import { timeColumn, Time } from '../../ui/columns.tsx';
import { useMails } from './api.ts';
import classes from './user-page.module.css';

const tones: Record<SentMail['status'], Tone> = { QUEUED: 'neutral', SENT: 'good', FAILED: 'bad' };

interface MailsSectionProps {
  userId: string;
  page: number;
  onPage: (page: number) => void;
}

/** The mails that were sent to the user; their contents are not stored. */
export function MailsSection({ userId, page, onPage }: MailsSectionProps) {
  const { t } = useTranslation('staffUsers');
  const mails = useMails(userId, page);
  return (
    <div className={classes['section']}>
      <h2>{t('mails.title')}</h2>
      <PagedList
        list={mails}
        page={page}
        onPage={onPage}
        failureText={t('mails.failed')}
        empty={<EmptyList text={t('mails.empty')} />}
      >
        {(rows) => <MailsTable mails={rows} />}
      </PagedList>
    </div>
  );
}

function MailsTable({ mails }: { mails: readonly SentMail[] | undefined }) {
  const { t } = useTranslation('staffUsers');
  const columns: Column<SentMail>[] = [
    {
      key: 'kind',
      width: 12,
      header: t('mails.kind'),
      place: 'heading',
      render: ({ kind }) => t(`mails.kinds.${kind}`),
    },
    {
      key: 'status',
      width: 7,
      header: t('fields.status'),
      place: 'heading',
      render: ({ status }) => <StatusBadge tone={tones[status]} text={t(`mails.statuses.${status}`)} />,
    },
    {
      key: 'language',
      place: 'line',
      width: 5,
      header: t('fields.language'),
      render: ({ languageCode }) => languageCode.toUpperCase(),
    },
    { ...timeColumn('queuedAt', t('mails.queuedAt')), width: 8.5, place: 'line' },
    {
      key: 'endedAt',
      place: 'more',
      width: 8.5,
      header: t('mails.endedAt'),
      render: ({ endedAt }) => endedAt !== null && <Time at={endedAt} />,
    },
  ];
  return <DataTable label={t('mails.title')} columns={columns} rows={mails} rowKey={({ id }) => id} />;
}
