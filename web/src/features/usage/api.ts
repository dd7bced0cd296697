import type { UsageSort } from '@cellhop/contract/usage';
import { getUsage } from '@cellhop/contract/usage.plain';
import { apiQuery, SUMS_SPACING_MS } from '../../lib/query.ts';
import { useAnswer } from '../../lib/use-answer.ts';
import type { RangeQuery } from './range.ts';

interface UsageChoice {
  connectionId: string | undefined;
  sort: UsageSort | undefined;
}

export function useUsage(range: RangeQuery, { connectionId, sort }: UsageChoice) {
  const choice = { ...(connectionId !== undefined && { connectionId }), ...(sort !== undefined && { sort }) };
  const query = { ...range, ...choice };
  return useAnswer(apiQuery(getUsage, { query }, { topics: ['balance', 'connections'], spacingMs: SUMS_SPACING_MS }), {
    keepsPrevious: true,
  });
}
