import type { TFunction } from 'i18next';
import { parseCsv, spreadsheetTime, toSpreadsheet } from '../../lib/spreadsheet.ts';
import { isKind } from './choice.ts';

const subjectKinds = ['CONNECTION', 'INVOICE', 'PROMO_CODE', 'REFERRAL'] as const;

/**
 * Converts the API's CSV export for a spreadsheet: times in the user's time zone, texts in their language, amounts
 * unchanged.
 */
export function toTransactionsCsv(csv: string, t: TFunction<'transaction'>, language: string): string {
  const columns = [
    { header: t('file.id') },
    { header: t('table.date') },
    { header: t('file.amount'), isNumber: true },
    { header: t('file.balanceAfter'), isNumber: true },
    { header: t('table.kind') },
    { header: t('table.subject') },
    { header: t('file.subjectId') },
  ];
  const [, ...records] = parseCsv(csv);
  const rows = records.map(
    ([id = '', at = '', kind = '', amount = '', balance = '', subjectKind, subjectId = '', label]) => [
      id,
      spreadsheetTime(at),
      amount,
      balance,
      isKind(kind) ? t(`kinds.${kind}`) : kind,
      subjectText(t, subjectKind, label),
      subjectId,
    ],
  );
  return toSpreadsheet(language, columns, rows);
}

function subjectText(t: TFunction<'transaction'>, kind: string | undefined, label = ''): string {
  const known = subjectKinds.find((subjectKind) => subjectKind === kind);
  return known === undefined ? label : t(`subjects.${known}`, { label });
}
