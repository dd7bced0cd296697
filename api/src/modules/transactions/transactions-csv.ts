/** Transactions as CSV: RFC 4180, UTF-8, dates in ISO 8601, amounts with all six decimals. */
import { toDollarText } from '@cellhop/contract/units';
import { presentSubject } from './transactions-presenter.ts';
import type { EntryRow } from './transactions.store.ts';

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
    quoteText(subject?.label ?? ''),
  ];
  return `${fields.join(',')}\r\n`;
}

/**
 * Prevents CSV injection by texts that users chose, such as an email address. Spreadsheets run a text that starts with one of these
 * characters as a formula, unless an apostrophe precedes it, which they hide.
 */
export function quoteText(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
