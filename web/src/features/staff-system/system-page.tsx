import type { Job, SystemState } from '@cellhop/contract/staff/system';
import { jobStates } from '@cellhop/contract/staff/system.values';
import { Select, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { oneOf } from '../../loading/search-values.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { toList } from '../../data/use-list.ts';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { FilterPanel } from '../staff-parts/filter-panel.tsx';
import { ReasonDialog } from '../staff-parts/reason-dialog.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useSeen } from '../staff-parts/use-seen.ts';
import { useJobs, useRetryJob, useSystemState } from './api.ts';
import { JobsTable } from './jobs-table.tsx';
import { staffSystemScreen } from './screen.ts';
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
  const { row: retried, shown, isOpen, open, close } = useSeen<Job>();
  const retry = useRetryJob();

  async function confirm(reason: string | undefined): Promise<void> {
    if (retried === undefined) return;
    await retry.run({ job: retried, reason });
    close();
  }

  return (
    <>
      <FilterPanel onReset={undefined}>
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
        {(rows) => <JobsTable jobs={rows} onRetry={canRetry ? open : undefined} />}
      </PagedList>
      <ReasonDialog
        isOpen={isOpen}
        title={t('jobs.retryTitle')}
        text={t('jobs.retryText', { name: shown?.name ?? '' })}
        action={t('jobs.retry')}
        isOptional
        isWorking={retry.isRunning}
        onConfirm={(reason) => void confirm(reason)}
        onClose={close}
      />
    </>
  );
}
