import { listAuditLog } from '@cellhop/contract/staff/audit-log.plain';
import { apiQuery } from '../../lib/query.ts';
import { useList } from '../../lib/use-list.ts';
import { toRange } from '../staff-parts/day-range.tsx';
import type { StaffAuditLogSearch } from './screen.ts';

export function useAuditLog({ page = 1, from, to, ...filter }: StaffAuditLogSearch) {
  return useList(apiQuery(listAuditLog, { query: { page, ...filter, ...toRange({ from, to }) } }));
}
