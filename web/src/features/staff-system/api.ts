import type { Job } from '@cellhop/contract/staff/system';
import { useTranslation } from 'react-i18next';
import { call } from '../../data/http.ts';
import { apiQuery } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import type { StaffSystemSearch } from './screen.ts';

export function useSystemState() {
  return useApiQuery(apiQuery('GET /v1/system/admin', {}, { topics: ['jobs'] }), { isPolled: true });
}

export function useJobs({ page = 1, state }: StaffSystemSearch) {
  const query = apiQuery('GET /v1/system/admin/jobs', { query: { page, state } }, { topics: ['jobs'] });
  return useApiQuery(query, { keepsPrevious: true, isPolled: true });
}

export function useRetryJob() {
  const { t } = useTranslation('staffSystem');
  return useAction({
    call: async ({ job, reason }: { job: Job; reason: string | undefined }) =>
      (await call('POST /v1/system/admin/jobs/{id}/retry', { params: { id: job.id }, body: { reason } })).data,
    successText: ({ name }) => t('jobs.retried', { name }),
    changes: ['jobs'],
  });
}
