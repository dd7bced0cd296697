import { getUsage } from '@cellhop/contract/usage.plain';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { usePollInterval } from '../../lib/live.ts';
import { apiQuery } from '../../lib/query.ts';
import type { RangeQuery } from './range.ts';

export function useUsage(range: RangeQuery, connectionId: string | undefined) {
  const pollInterval = usePollInterval();
  return useQuery({
    ...apiQuery(getUsage, { query: { ...range, ...(connectionId !== undefined && { connectionId }) } }),
    refetchInterval: pollInterval(false),
    placeholderData: keepPreviousData,
  });
}
