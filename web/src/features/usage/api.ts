import type { UsageSort } from '@cellhop/contract/usage';
import { getUsage } from '@cellhop/contract/usage.plain';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { usePollInterval } from '../../lib/live.ts';
import { apiQuery } from '../../lib/query.ts';
import type { RangeQuery } from './range.ts';

interface UsageChoice {
  connectionId: string | undefined;
  sort: UsageSort | undefined;
}

export function useUsage(range: RangeQuery, { connectionId, sort }: UsageChoice) {
  const pollInterval = usePollInterval();
  const choice = { ...(connectionId !== undefined && { connectionId }), ...(sort !== undefined && { sort }) };
  return useQuery({
    ...apiQuery(getUsage, { query: { ...range, ...choice } }),
    refetchInterval: pollInterval(false),
    placeholderData: keepPreviousData,
  });
}
