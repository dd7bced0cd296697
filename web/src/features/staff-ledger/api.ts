import { apiQuery, pageQuery, staffDependencies } from '../../data/query.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { toLimitedRange } from '../staff-parts/continuation.ts';
import type { StaffLedgerSearch } from './screen.ts';

export function useLedger(userId: string, search: StaffLedgerSearch) {
  const { page = 1, kind } = search;
  const query = apiQuery(
    'GET /v1/transactions/admin',
    { query: { userId, ...pageQuery(page), kind, ...toLimitedRange(search) } },
    staffDependencies('staff-transactions'),
  );
  return useApiQuery(query, { keepsPrevious: true });
}
