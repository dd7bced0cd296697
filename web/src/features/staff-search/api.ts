import { SEARCH_LENGTH_MIN } from '@cellhop/contract/staff/search.values';
import { apiQuery } from '../../data/query.ts';
import { useApiQuery } from '../../data/use-api-query.ts';

/** @param text shorter ones are not searched for */
export function useSearch(text: string) {
  const isEnabled = text.trim().length >= SEARCH_LENGTH_MIN;
  const { response, failure, isPrevious } = useApiQuery(apiQuery('GET /v1/search/admin', { query: { text } }), {
    isEnabled,
    keepsPrevious: true,
  });
  return { found: isEnabled ? response?.data : undefined, failure, isStale: isPrevious };
}
