import type { UsageSort } from '@cellhop/contract/usage';
import { apiQuery, SUMS_THROTTLE_MS } from '../../data/query.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import type { RangeQuery } from './range.ts';

interface UsageChoice {
  connectionId: string | undefined;
  sort: UsageSort | undefined;
}

export function useUsage(range: RangeQuery, { connectionId, sort }: UsageChoice) {
  const choice = { ...(connectionId !== undefined && { connectionId }), ...(sort !== undefined && { sort }) };
  const query = { ...range, ...choice };
  return useApiQuery(
    apiQuery('GET /v1/usage', { query }, { topics: ['balance', 'connections'], throttleMs: SUMS_THROTTLE_MS }),
    {
      keepsPrevious: true,
    },
  );
}
