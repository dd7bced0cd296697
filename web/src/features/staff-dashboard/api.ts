import { apiQuery, staffDependencies, SUMS_THROTTLE_MS } from '../../data/query.ts';
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

const attentionQuery = apiQuery(
  'GET /v1/dashboard/admin/attention',
  {},
  staffDependencies('staff-adjustments', 'staff-settlements', 'staff-promo-codes', 'staff-tickets', 'staff-invoices'),
);

/** What needs attention; undefined while it loads. Exits, gateways, chains and jobs send no live events, so it is also polled. */
export function useAttention() {
  return useApiQuery(attentionQuery, { isPolled: true }).response?.data;
}
