/** CSV files that spreadsheets open correctly in the user's language. */
import { csvCell, fromCsvCell } from '@cellhop/contract/csv.values';
import { FALLBACK_LANGUAGE, isLanguage, type Language } from '../i18n/languages.ts';
import { toDay } from './day.ts';
import { twoDigits } from './format.ts';

interface SpreadsheetColumn {
  header: string;
  /** Whether the cells are decimal numbers. */
  isNumber?: boolean;
}

/** Without it Excel does not detect UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/** A comma cannot be the separator where it is the decimal mark. */
const csvFormats: Record<Language, { separator: string; decimalMark: string }> = {
  en: { separator: ',', decimalMark: '.' },
  ru: { separator: ';', decimalMark: ',' },
};

export function toSpreadsheet(
  language: string,
  columns: readonly SpreadsheetColumn[],
  rows: readonly (readonly string[])[],
): string {
  const { separator, decimalMark } = csvFormats[isLanguage(language) ? language : FALLBACK_LANGUAGE];
  const formatCell = (cell: string, index: number) =>
    columns[index]?.isNumber === true ? cell.replace('.', decimalMark) : csvCell(cell);
  const header = columns.map((column) => csvCell(column.header));
  const lines = [header, ...rows.map((row) => row.map(formatCell))].map((cells) => `${cells.join(separator)}\r\n`);
  return BYTE_ORDER_MARK + lines.join('');
}

const NUMBER = /^(?:-?\d+(?:\.\d+)?)?$/;

/** A CSV file of the API, which does not depend on a language, for the user's spreadsheet. */
export function csvToSpreadsheet(language: string, text: string): string {
  const [headers = [], ...rows] = parseCsv(text);
  const columns = headers.map((header, index) => ({
    header,
    isNumber: rows.every((row) => NUMBER.test(row[index] ?? '')),
  }));
  return toSpreadsheet(language, columns, rows);
}

/** `2026-11-21 18:05:09` in the user's time zone: every spreadsheet recognizes this format as a time, and it sorts. */
export function spreadsheetTime(iso: string): string {
  const at = new Date(iso);
  return `${toDay(at)} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(':')}`;
}

/** Parses CSV (RFC 4180) as the API returns it. */
export function parseCsv(text: string): string[][] {
  const cells = text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g);
  const records: string[][] = [];
  let record: string[] = [];
  for (const [whole, quoted, plain = '', end] of cells) {
    if (whole === '') break;
    record.push(fromCsvCell(quoted === undefined ? plain : quoted.replaceAll('""', '"')));
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  return records;
}
