/** The statement as CSV: RFC 4180, UTF-8, dates in ISO 8601, amounts with all six decimals. */
import { toDollarText } from '@cellhop/contract/units';
import { presentSubject } from './statement-presenter.ts';
import type { EntryRow } from './statement.store.ts';

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
 * Texts that people chose, such as an email address. A spreadsheet takes one that begins with these characters for a
 * formula and runs it, so an apostrophe goes before it: a spreadsheet does not show that one.
 */
export function quoteText(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
