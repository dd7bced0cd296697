import type { StaffRequest } from '@cellhop/contract/staff/approvals';
import { toDollars } from '@cellhop/contract/units';
import * as settlements from '../invoices/settlement.service.ts';
import type { RequestRow } from './approvals.store.ts';

/** @param isOthers whether the caller is neither its author nor somebody who gains by it */
export function presentRequest(row: RequestRow, isOthers: boolean): StaffRequest {
  const { deciderId, deciderEmail } = row;
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    user: { id: row.userId, email: row.userEmail },
    invoice: presentInvoice(row),
    connection: row.connectionId === null || row.ip === null ? null : { id: row.connectionId, ip: row.ip },
    promoCode: presentPromoCode(row),
    isOthers,
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

function presentInvoice({ invoiceId, currency, units }: RequestRow): StaffRequest['invoice'] {
  if (invoiceId === null || currency === null || units === null) return null;
  return { id: invoiceId, currency, amountInCurrency: settlements.describeUnits(currency, units) };
}

function presentPromoCode({
  promoCodeId,
  promoCode,
  trialCreditMicros,
  creditsMax,
}: RequestRow): StaffRequest['promoCode'] {
  if (promoCodeId === null || promoCode === null || trialCreditMicros === null) return null;
  return { id: promoCodeId, code: promoCode, trialCredit: toDollars(trialCreditMicros), trialCreditsMax: creditsMax };
}
