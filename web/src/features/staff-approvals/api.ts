import type { StaffRequest } from '@cellhop/contract/staff/approvals';
import type { RequestList } from '@cellhop/contract/staff/lists.values';
import { useTranslation } from 'react-i18next';
import { callForData } from '../../data/http.ts';
import { apiQuery, pageQuery, staffDependencies } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import type { StaffApprovalsSearch } from './screen.ts';

const endpoints = {
  ADJUSTMENT: {
    list: 'GET /v1/approvals/admin/adjustments',
    approve: 'POST /v1/approvals/admin/adjustments/{id}/approve',
    reject: 'POST /v1/approvals/admin/adjustments/{id}/reject',
    topic: 'staff-adjustments',
  },
  SETTLEMENT: {
    list: 'GET /v1/approvals/admin/settlements',
    approve: 'POST /v1/approvals/admin/settlements/{id}/approve',
    reject: 'POST /v1/approvals/admin/settlements/{id}/reject',
    topic: 'staff-settlements',
  },
  PROMO_CODE: {
    list: 'GET /v1/approvals/admin/promo-codes',
    approve: 'POST /v1/approvals/admin/promo-codes/{id}/approve',
    reject: 'POST /v1/approvals/admin/promo-codes/{id}/reject',
    topic: 'staff-promo-codes',
  },
} as const;

export function useRequests(kind: RequestList, { page = 1, status, userId }: StaffApprovalsSearch) {
  const { list, topic } = endpoints[kind];
  const query = apiQuery(list, { query: { ...pageQuery(page), status, userId } }, staffDependencies(topic));
  return useApiQuery(query, { keepsPrevious: true });
}

export interface Decision {
  list: RequestList;
  request: StaffRequest;
  isApproved: boolean;
  reason: string | undefined;
}

export function useDecide() {
  const { t } = useTranslation('staffMoney');
  return useAction({
    call: async ({ list, request: { id }, isApproved, reason }: Decision) => {
      const params = { id };
      if (isApproved) return callForData(endpoints[list].approve, { params, body: { reason } });
      return callForData(endpoints[list].reject, { params, body: { reason: reason ?? '' } });
    },
    successText: (_request, { isApproved }) => t(isApproved ? 'approvals.approved' : 'approvals.rejected'),
    changes: [
      'staff-adjustments',
      'staff-settlements',
      'staff-promo-codes',
      'staff-transactions',
      'staff-invoices',
      'staff-connections',
    ],
  });
}
