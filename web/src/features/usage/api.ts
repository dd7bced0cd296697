import { getUsage } from '@cellhop/contract/usage.plain';
import { apiQuery, SUMS_SPACING_MS } from '../../lib/query.ts';
import { useAnswer } from '../../lib/use-answer.ts';
import type { RangeQuery } from './range.ts';

export function useUsage(range: RangeQuery, connectionId: string | undefined) {
  const query = { ...range, ...(connectionId !== undefined && { connectionId }) };
  return useAnswer(apiQuery(getUsage, { query }, { topics: ['balance', 'connections'], spacingMs: SUMS_SPACING_MS }), {
    keepsPrevious: true,
  });
}
