import type { StaffRequest } from '@cellhop/contract/staff/approvals';
import { toDollars } from '@cellhop/contract/units';
import { describeUnits } from '../invoices/settlement.service.ts';
import type { RequestRow } from './approvals.store.ts';

export function presentRequest(row: RequestRow): StaffRequest {
  const { invoiceId, currency, units, deciderId, deciderEmail } = row;
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    user: { id: row.userId, email: row.userEmail },
    invoice:
      invoiceId === null || currency === null || units === null
        ? null
        : { id: invoiceId, currency, amountInCurrency: describeUnits(currency, units) },
    amount: toDollars(row.amountMicros),
    reason: row.reason,
    author: { id: row.authorId, email: row.authorEmail },
    createdAt: row.createdAt.toISOString(),
    lapsesAt: row.lapsesAt?.toISOString() ?? null,
    decidedBy: deciderId === null || deciderEmail === null ? null : { id: deciderId, email: deciderEmail },
    decidedAt: row.decidedAt?.toISOString() ?? null,
    decisionReason: row.decisionReason,
  };
}
