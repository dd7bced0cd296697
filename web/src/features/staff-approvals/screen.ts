import { requestStatuses } from '@cellhop/contract/staff/lists.values';
import { IconChecks } from '@tabler/icons-react';
import { idParameter, oneOf, pageSearch, type Search } from '../../loading/search-values.ts';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';

export const requestKinds = ['ADJUSTMENT', 'SETTLEMENT'] as const;
export type RequestKind = (typeof requestKinds)[number];

export const staffApprovalsScreen = {
  path: '/admin/approvals',
  permission: ['TRANSACTIONS_READ', 'PAYMENTS_READ'],
  texts: ['staffMoney', 'payment'],
  search: staffApprovalsSearch,
  title: 'approvals',
  Icon: IconChecks,
} as const satisfies StaffScreenOf<'GET /v1/approvals/admin/adjustments' | 'GET /v1/approvals/admin/settlements'>;

export type StaffApprovalsSearch = ReturnType<typeof staffApprovalsSearch>;

function staffApprovalsSearch(search: Search) {
  return {
    ...pageSearch(search),
    kind: oneOf(search['kind'], requestKinds),
    status: oneOf(search['status'], requestStatuses),
    userId: idParameter(search['userId']),
  };
}
