import type { StaffRequest } from '@cellhop/contract/staff/approvals';
import * as approvals from '@cellhop/contract/staff/approvals.plain';
import { useTranslation } from 'react-i18next';
import { call } from '../../data/http.ts';
import { apiQuery, staffDependencies } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import type { RequestKind, StaffApprovalsSearch } from './screen.ts';

const lists = { ADJUSTMENT: approvals.listAdjustmentRequests, SETTLEMENT: approvals.listSettlementRequests };
const approvalOf = { ADJUSTMENT: approvals.approveAdjustment, SETTLEMENT: approvals.approveSettlement };
const topicOf = { ADJUSTMENT: 'staff-adjustments', SETTLEMENT: 'staff-settlements' } as const;
const rejectionOf = { ADJUSTMENT: approvals.rejectAdjustment, SETTLEMENT: approvals.rejectSettlement };

export function useRequests(kind: RequestKind, { page = 1, status, userId }: StaffApprovalsSearch) {
  const query = apiQuery(lists[kind], { query: { page, status, userId } }, staffDependencies(topicOf[kind]));
  return useApiQuery(query, { keepsPrevious: true });
}

export interface Decision {
  request: StaffRequest;
  isApproved: boolean;
  reason: string | undefined;
}

export function useDecide() {
  const { t } = useTranslation('staffMoney');
  return useAction({
    call: async ({ request: { id, kind }, isApproved, reason }: Decision) => {
      const params = { id };
      if (isApproved) return (await call(approvalOf[kind], { params, body: { reason } })).data;
      return (await call(rejectionOf[kind], { params, body: { reason: reason ?? '' } })).data;
    },
    successText: (_request, { isApproved }) => t(isApproved ? 'approvals.approved' : 'approvals.rejected'),
    changes: ['staff-adjustments', 'staff-settlements', 'staff-transactions', 'staff-invoices'],
  });
}
