import { type TimelineKind } from '@cellhop/contract/staff/timeline.values';
import { apiQuery, staffDependencies } from '../../data/query.ts';
import { useApiQuery } from '../../data/use-api-query.ts';

const PAGE_ENTRIES = 25;

export interface TimelineQuery {
  kind?: TimelineKind[] | undefined;
  /** Where the page starts; undefined: with the newest entry. */
  after?: string | undefined;
}

export function useTimeline(userId: string, { kind, after }: TimelineQuery) {
  const query = { size: PAGE_ENTRIES, ...(kind && { kind }), ...(after !== undefined && { after }) };
  return useApiQuery(
    apiQuery('GET /v1/users/admin/{id}/timeline', { params: { id: userId }, query }, staffDependencies('staff-users')),
    {
      isPolled: after === undefined,
      keepsPrevious: true,
    },
  );
}
