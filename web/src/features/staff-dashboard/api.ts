import { apiQuery, SUMS_THROTTLE_MS } from '../../data/query.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import type { RangeQuery } from '../usage/range.ts';

export function useDashboard(query: RangeQuery) {
  return useApiQuery(
    apiQuery(
      'GET /v1/dashboard/admin',
      { query },
      {
        topics: ['staff-connections', 'staff-invoices', 'staff-tickets', 'staff-transactions', 'staff-users'],
        throttleMs: SUMS_THROTTLE_MS,
      },
    ),
    { keepsPrevious: true },
  );
}
