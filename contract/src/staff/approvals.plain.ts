import { plain } from '../endpoint.ts';
import type * as full from './approvals.ts';

export const requestStatuses = ['PENDING', 'APPLIED', 'APPROVED', 'REJECTED', 'LAPSED'] as const;

export type RequestStatus = (typeof requestStatuses)[number];

export const listAdjustmentRequests = plain<typeof full.listAdjustmentRequests>({
  method: 'GET',
  url: '/v1/approvals/admin/adjustments',
  access: { permission: 'TRANSACTIONS_READ' },
});
export const approveAdjustment = plain<typeof full.approveAdjustment>({
  method: 'POST',
  url: '/v1/approvals/admin/adjustments/{id}/approve',
  access: { permission: 'TRANSACTIONS_WRITE' },
});
export const rejectAdjustment = plain<typeof full.rejectAdjustment>({
  method: 'POST',
  url: '/v1/approvals/admin/adjustments/{id}/reject',
  access: { permission: 'TRANSACTIONS_WRITE' },
});
export const listSettlementRequests = plain<typeof full.listSettlementRequests>({
  method: 'GET',
  url: '/v1/approvals/admin/settlements',
  access: { permission: 'PAYMENTS_READ' },
});
export const approveSettlement = plain<typeof full.approveSettlement>({
  method: 'POST',
  url: '/v1/approvals/admin/settlements/{id}/approve',
  access: { permission: 'PAYMENTS_EDIT' },
});
export const rejectSettlement = plain<typeof full.rejectSettlement>({
  method: 'POST',
  url: '/v1/approvals/admin/settlements/{id}/reject',
  access: { permission: 'PAYMENTS_EDIT' },
});
