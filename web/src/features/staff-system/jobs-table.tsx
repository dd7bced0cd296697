import type { Job } from '@cellhop/contract/staff/system';
import type { JobState } from '@cellhop/contract/staff/system.values';
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatMoment } from '../../format/format.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';

const tones: Record<JobState, Tone> = { FAILED: 'bad', RETRYING: 'warning', RUNNING: 'good', WAITING: 'neutral' };

interface JobsTableProps {
  jobs: readonly Job[] | undefined;
  /** Undefined if the member of staff may not retry jobs. */
  onRetry: ((job: Job) => void) | undefined;
}

export function JobsTable({ jobs, onRetry }: JobsTableProps) {
  const { t } = useTranslation('staffSystem');
  const columns: Column<Job>[] = [
    { key: 'name', header: t('jobs.name'), place: 'heading', render: ({ name }) => name },
    {
      key: 'state',
      header: t('jobs.state'),
      place: 'heading',
      render: ({ state }) => <StatusBadge tone={tones[state]} text={t(`jobs.states.${state}`)} />,
    },
    {
      key: 'attempts',
      header: t('jobs.attempts'),
      render: ({ attempts, attemptsMax }) => t('jobs.attemptsOf', { attempts, attemptsMax }),
    },
    { key: 'lastError', header: t('jobs.lastError'), render: ({ lastError }) => lastError ?? '—' },
    { key: 'runAt', header: t('jobs.runAt'), render: ({ runAt }) => formatMoment(runAt) },
    { key: 'createdAt', header: t('jobs.createdAt'), render: ({ createdAt }) => formatMoment(createdAt) },
  ];
  if (onRetry !== undefined)
    columns.push({
      key: 'action',
      header: t('jobs.action'),
      place: 'action',
      isLast: true,
      render: (job) =>
        job.canRetry && (
          <Button
            size="compact-sm"
            variant="light"
            aria-label={t('jobs.retryOf', { name: job.name })}
            onClick={() => onRetry(job)}
          >
            {t('jobs.retry')}
          </Button>
        ),
    });
  return <DataTable label={t('jobs.title')} columns={columns} rows={jobs} rowKey={({ id }) => id} isDense />;
}
