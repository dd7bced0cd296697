import type { TFunction } from 'i18next';
import { expect, it } from 'vitest';
import { toTransactionsCsv } from './transactions-csv.ts';

const t = ((key: string, values?: { label: string }) =>
  values === undefined ? key : `${key} ${values.label}`) as unknown as TFunction<'transaction'>;
const at = new Date(2026, 10, 21, 18, 5, 9).toISOString();
const id = '0192f7a0-1111-4222-8333-444455556666';

it('keeps every digit, and has the texts of the screen', () => {
  const csv =
    'id,createdAt,kind,amount,balanceAfter,subjectKind,subjectId,subject\r\n' +
    `7,${at},MEGABYTE,-0.008000,24.568000,CONNECTION,${id},198.18.0.3\r\n` +
    `6,${at},TOP_UP,25.000000,24.576000,,,\r\n`;
  expect(toTransactionsCsv(csv, t, 'ru').split('\r\n')).toEqual([
    '\uFEFFfile.id;table.date;file.amount;file.balanceAfter;table.kind;table.subject;file.subjectId',
    `7;2026-11-21 18:05:09;-0,008000;24,568000;kinds.MEGABYTE;subjects.CONNECTION 198.18.0.3;${id}`,
    '6;2026-11-21 18:05:09;25,000000;24,576000;kinds.TOP_UP;;',
    '',
  ]);
});
