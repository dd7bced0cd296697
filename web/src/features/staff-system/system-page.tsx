import type { Job, SystemState } from '@cellhop/contract/staff/system';
import { jobStates, type JobState } from '@cellhop/contract/staff/lists.values';
import { Select, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { callForData } from '../../data/http.ts';
import { apiQuery, pageQuery } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { toList } from '../../data/use-list.ts';
import { formatMoment } from '../../format/format.ts';
import { oneOf } from '../../loading/search-values.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';
import { RowButton } from '../../ui/columns.tsx';
import { FilterPanel } from '../staff-parts/filter-panel.tsx';
import { RowReasonDialog } from '../staff-parts/reason-dialog.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useRowSnapshot } from '../staff-parts/use-row-snapshot.ts';
import { staffSystemScreen, type StaffSystemSearch } from './screen.ts';
import { SystemFigures } from './system-figures.tsx';
import classes from './system-page.module.css';

export function SystemPage() {
  const { t } = useTranslation('staffSystem');
  const { response, failure } = useSystemState();
  return (
    <>
      {failure !== undefined && <LoadFailure text={t('state.failed')} {...failure} />}
      {response !== undefined && <SystemFigures state={response.data} />}
      <Title order={2} size="h4" mt="xl" mb="md">
        {t('jobs.title')}
      </Title>
      <Jobs counts={response?.data.jobs} />
    </>
  );
}

function Jobs({ counts }: { counts: SystemState['jobs'] | undefined }) {
  const [search, change] = useScreenSearch(staffSystemScreen);
  const { t } = useTranslation('staffSystem');
  const jobs = useJobs(search);
  const canRetry = usePermission('SYSTEM_EDIT');
  const retried = useRowSnapshot<Job>();
  const retry = useRetryJob();

  return (
    <>
      <FilterPanel>
        <Select
          label={t('jobs.state')}
          placeholder={t('log.any')}
          data={jobStates.map((value) => ({ value, label: t(`jobs.states.${value}`) }))}
          value={search.state ?? null}
          clearable
          onChange={(value) => change({ state: oneOf(value, jobStates), page: undefined })}
        />
      </FilterPanel>
      {counts !== undefined && <p className={classes['counts']}>{t('jobs.counts', { ...counts })}</p>}
      <PagedList
        list={toList(jobs)}
        page={search.page ?? 1}
        onPage={(page) => change({ page })}
        failureText={t('jobs.failed')}
        empty={<EmptyList text={t('jobs.empty')} />}
      >
        {(rows) => <JobsTable jobs={rows} onRetry={canRetry ? retried.open : undefined} />}
      </PagedList>
      <RowReasonDialog
        snapshot={retried}
        title={t('jobs.retryTitle')}
        text={t('jobs.retryText', { name: retried.shown?.name ?? '' })}
        action={t('jobs.retry')}
        isOptional
        isWorking={retry.isRunning}
        onConfirm={(job, reason) => retry.run({ job, reason })}
      />
    </>
  );
}

const tones: Record<JobState, Tone> = { FAILED: 'bad', RETRYING: 'warning', RUNNING: 'good', WAITING: 'neutral' };

interface JobsTableProps {
  jobs: readonly Job[] | undefined;
  /** Undefined if the member of staff may not retry jobs. */
  onRetry: ((job: Job) => void) | undefined;
}

function JobsTable({ jobs, onRetry }: JobsTableProps) {
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
      place: 'fact',
      render: ({ attempts, attemptsMax }) => t('jobs.attemptsOf', { attempts, attemptsMax }),
    },
    {
      key: 'lastError',
      header: t('jobs.lastError'),
      place: 'line',
      renderInCard: ({ lastError }) => lastError,
      render: ({ lastError }) => lastError ?? '—',
    },
    { key: 'runAt', header: t('jobs.runAt'), place: 'fact', render: ({ runAt }) => formatMoment(runAt) },
    {
      key: 'createdAt',
      header: t('jobs.createdAt'),
      place: 'fact',
      render: ({ createdAt }) => formatMoment(createdAt),
    },
  ];
  if (onRetry !== undefined)
    columns.push({
      key: 'action',
      header: t('jobs.action'),
      place: 'action',
      render: (job) =>
        job.canRetry && (
          <RowButton
            text={t('jobs.retry')}
            label={t('jobs.retryOf', { name: job.name })}
            onClick={() => onRetry(job)}
          />
        ),
    });
  return <DataTable label={t('jobs.title')} columns={columns} rows={jobs} rowKey={({ id }) => id} isDense />;
}

function useSystemState() {
  return useApiQuery(apiQuery('GET /v1/system/admin', {}, { topics: ['jobs'] }), { isPolled: true });
}

function useJobs({ page = 1, state }: StaffSystemSearch) {
  const query = apiQuery('GET /v1/system/admin/jobs', { query: { ...pageQuery(page), state } }, { topics: ['jobs'] });
  return useApiQuery(query, { keepsPrevious: true, isPolled: true });
}

function useRetryJob() {
  const { t } = useTranslation('staffSystem');
  return useAction({
    call: ({ job, reason }: { job: Job; reason: string | undefined }) =>
      callForData('POST /v1/system/admin/jobs/{id}/retry', { params: { id: job.id }, body: { reason } }),
    successText: ({ name }) => t('jobs.retried', { name }),
    changes: ['jobs'],
  });
}
