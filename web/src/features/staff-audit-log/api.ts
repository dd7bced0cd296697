import { apiQuery } from '../../data/query.ts';
import { useList } from '../../data/use-list.ts';
import { toLimitedRange } from '../staff-parts/continuation.ts';
import type { StaffAuditLogSearch } from './screen.ts';

export function useAuditLog({ page = 1, from, to, since, until, ...filter }: StaffAuditLogSearch) {
  return useList(
    apiQuery('GET /v1/audit-log/admin', { query: { page, ...filter, ...toLimitedRange({ from, to, since, until }) } }),
  );
}
