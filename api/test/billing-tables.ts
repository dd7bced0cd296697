/** The tables of docs/billing.md, which is the specification. Two test files check them against the real code. */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readTables, toBytesFromCell, toMicrosFromCell, type MarkdownRow } from './markdown-tables.ts';

/** The check for the rows of each table, by section and first column. */
export type Checks = Record<string, (row: MarkdownRow) => unknown>;

const tables = readTables(fileURLToPath(new URL('../../docs/billing.md', import.meta.url)));
/** All other sections are about connections. */
const MONEY_SECTIONS = new Set(['Deposits', 'When a payment leaves its chain', 'Transfers', 'Changes by staff']);

export function checkBilling(part: 'connections' | 'money', checks: Checks): void {
  const own = tables.filter(({ section }) => MONEY_SECTIONS.has(section) === (part === 'money'));
  describe(`docs/billing.md, ${part}`, () => {
    test('has a check for each table, and a table for each check', () => {
      expect(own.map((table) => `${table.section}: ${table.columns[0]}`)).toEqual(Object.keys(checks));
      expect(own.filter((table) => table.rows.length === 0)).toEqual([]);
    });

    describe.each(own)('$section, by $columns.0', ({ section, columns, rows }) => {
      test.each(rows.map((row) => [Object.values(row).join(' | '), row] as const))('%s', async (_title, row) => {
        await checks[`${section}: ${columns[0]}`]!(row);
        expect.hasAssertions();
      });
    });
  });
}

export const cell = (row: MarkdownRow, column: string): string => {
  const value = row[column];
  if (value === undefined) throw new Error(`the table has no column ${column}`);
  return value;
};
export const money = (row: MarkdownRow, column: string) => toMicrosFromCell(cell(row, column));
export const traffic = (row: MarkdownRow, column: string) => toBytesFromCell(cell(row, column));
export const count = (row: MarkdownRow, column: string) => BigInt(cell(row, column));
