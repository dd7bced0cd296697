/** Tables as files that a double click opens in a spreadsheet, in the spelling that it expects in the reader's language. */
import { FALLBACK_LANGUAGE, isLanguage, type Language } from '../i18n/languages.ts';

interface SpreadsheetColumn {
  header: string;
  /** Its cells are decimal numbers with a point. */
  isNumber?: boolean;
}

/** Without it Excel takes UTF-8 for an encoding of the last century. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Where the comma is the decimal mark, it cannot part the cells. */
const spellings: Record<Language, { separator: string; decimalMark: string }> = {
  en: { separator: ',', decimalMark: '.' },
  ru: { separator: ';', decimalMark: ',' },
};

export function toSpreadsheet(
  language: string,
  columns: readonly SpreadsheetColumn[],
  rows: readonly (readonly string[])[],
): string {
  const { separator, decimalMark } = spellings[isLanguage(language) ? language : FALLBACK_LANGUAGE];
  const write = (cell: string, index: number) =>
    columns[index]?.isNumber === true ? cell.replace('.', decimalMark) : quote(harmless(cell), separator);
  const header = columns.map((column) => quote(column.header, separator));
  const lines = [header, ...rows.map((row) => row.map(write))].map((cells) => `${cells.join(separator)}\r\n`);
  return BYTE_ORDER_MARK + lines.join('');
}

/** `2026-11-21 18:05:09` in the reader's time zone: every spreadsheet knows it for a moment, and it sorts. */
export function spreadsheetTime(iso: string): string {
  const at = new Date(iso);
  const day = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(twoDigits).join('-');
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(':')}`;
}

/** The records of a file after RFC 4180, as the API sends it. */
export function parseCsv(text: string): string[][] {
  const cells = text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g);
  const records: string[][] = [];
  let record: string[] = [];
  for (const [whole, quoted, plain = '', end] of cells) {
    if (whole === '') break;
    record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  return records;
}

/** A spreadsheet runs what begins like a formula. An apostrophe makes it a text, and is not shown. */
function harmless(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function quote(text: string, separator: string): string {
  return text.includes(separator) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
