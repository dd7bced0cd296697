/** Transactions as JSON, and as CSV: RFC 4180, UTF-8, dates in ISO 8601, amounts with all six decimals. */
import { csvCell } from '@cellhop/contract/csv.values';
import type { StaffTransaction } from '@cellhop/contract/staff/transactions';
import type { Transaction } from '@cellhop/contract/transactions';
import { toDollars, toDollarText } from '@cellhop/contract/units';
import type { AdjustmentNote } from '../approvals/approvals.service.ts';
import type { EntryRow } from './transactions.store.ts';

export function presentTransaction(row: EntryRow): Transaction {
  return {
    id: String(row.id),
    createdAt: row.createdAt.toISOString(),
    kind: row.kind,
    amount: toDollars(row.micros),
    balanceAfter: toDollars(row.balanceAfterMicros),
    subject: presentSubject(row),
    receipt: row.receipt,
  };
}

/** @param notes of adjustments, by the id of their request */
export function presentForStaff(row: EntryRow, notes: ReadonlyMap<string, AdjustmentNote>): StaffTransaction {
  const note = row.requestId === null ? undefined : notes.get(row.requestId);
  const author = note && { id: note.authorId, email: note.authorEmail };
  return {
    ...presentTransaction(row),
    adjustment: note && author ? { id: note.id, reason: note.reason, author } : null,
  };
}

function presentSubject(row: EntryRow): Transaction['subject'] {
  if (row.connectionId !== null) return { kind: 'CONNECTION', id: row.connectionId, label: row.ip ?? '' };
  if (row.invoiceId !== null) return { kind: 'INVOICE', id: row.invoiceId, label: row.currency ?? '' };
  if (row.promoCodeId !== null) return { kind: 'PROMO_CODE', id: row.promoCodeId, label: row.promoCode ?? '' };
  if (row.referralId !== null)
    return { kind: 'REFERRAL', id: row.referralId, label: maskEmail(row.referralEmail ?? '') };
  // A payment without an invoice, or a transfer without a subject.
  return null;
}

/** Keeps the first letter and the domain, so that users can tell their referrals apart but do not see full addresses. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return `${email.slice(0, 1)}***${email.slice(at)}`;
}

export const CSV_HEADER = 'id,createdAt,kind,amount,balanceAfter,subjectKind,subjectId,subject\r\n';

export function toCsvLine(row: EntryRow): string {
  const subject = presentSubject(row);
  const fields = [
    String(row.id),
    row.createdAt.toISOString(),
    row.kind,
    toDollarText(row.micros),
    toDollarText(row.balanceAfterMicros),
    subject?.kind ?? '',
    subject?.id ?? '',
    csvCell(subject?.label ?? ''),
  ];
  return `${fields.join(',')}\r\n`;
}
