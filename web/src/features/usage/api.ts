import { getUsage } from '@cellhop/contract/usage';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../lib/query.ts';
import type { RangeQuery } from './range.ts';

/** The charts follow traffic that passes now, without hurry. */
const REFRESH_MS = 15_000;

export function useUsage(range: RangeQuery, connectionId: string | undefined) {
  return useQuery({
    ...apiQuery(getUsage, { query: { ...range, ...(connectionId !== undefined && { connectionId }) } }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
}
