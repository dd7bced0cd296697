import { type RequestList, requestLists, requestStatuses } from '@cellhop/contract/staff/lists.values';
import { IconChecks } from '@tabler/icons-react';
import { idParameter, oneOf, pageSearch, type Search } from '../../loading/search-values.ts';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';

export const listsOfRequests = Object.keys(requestLists) as RequestList[];

export const staffApprovalsScreen = {
  path: '/admin/approvals',
  permission: ['TRANSACTIONS_READ', 'PAYMENTS_READ', 'PROMO_CODES_READ'],
  texts: ['staffMoney', 'payment'],
  search: staffApprovalsSearch,
  title: { en: 'Approvals', ru: 'Согласования' },
  waiting: 'approvals',
  Icon: IconChecks,
} as const satisfies StaffScreenOf<
  'GET /v1/approvals/admin/adjustments' | 'GET /v1/approvals/admin/settlements' | 'GET /v1/approvals/admin/promo-codes'
>;

export type StaffApprovalsSearch = ReturnType<typeof staffApprovalsSearch>;

function staffApprovalsSearch(search: Search) {
  return {
    ...pageSearch(search),
    kind: oneOf(search['kind'], listsOfRequests),
    status: oneOf(search['status'], requestStatuses),
    userId: idParameter(search['userId']),
  };
}
