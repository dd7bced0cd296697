import { parseCsv, spreadsheetTime, toSpreadsheet } from '../../format/spreadsheet.ts';
import { isKind } from './choice.ts';
import { type SubjectTexts, subjectText } from './subject-text.ts';

/**
 * Converts the API's CSV export for a spreadsheet: times in the user's time zone, texts in their language, amounts
 * unchanged.
 */
export function toTransactionsCsv(csv: string, t: SubjectTexts, language: string): string {
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
