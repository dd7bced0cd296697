/**
 * Reads imported files: CSV (RFC 4180) record by record, and a JSON list object by object, with line numbers. Not by a library, because
 * each parser is one function and must report the line of each error. The work between two results has a bound for every file
 * contains, so that the reader can let other requests in after each.
 */
import { IMPORT_ROWS_MAX } from '@cellhop/contract/limits';
import type { ImportError } from '@cellhop/contract/staff/inventory';
import type { ImportProblem, LineOrder } from '@cellhop/contract/staff/inventory.values';

export interface FileRecord {
  line: number;
  /** None in an empty row. */
  cells: string[];
}

/** The longest record of CSV and the longest object of JSON. A row with the longest values is much shorter. */
export const RECORD_CHARACTERS_MAX = 64 * 1024;
/** Of braces and brackets in an object. No column has a nested value, but then the error should name the column. */
const DEPTH_MAX = 8;

/** Spreadsheets write semicolons where the comma is the decimal mark. */
const delimiters = [',', ';', '\t'] as const;
type Delimiter = (typeof delimiters)[number];

/** Some spreadsheets name the delimiter in a line before the header. */
const DELIMITER_LINE = /^"?sep=([,;\t])"?\r?\n/i;

/** The one that the header has most. No name of a column contains any. */
function findDelimiter(text: string): Delimiter {
  const header = text.slice(0, RECORD_CHARACTERS_MAX).trimStart().split('\n', 1)[0]!;
  const count = (delimiter: string) => header.split(delimiter).length;
  return delimiters.toSorted((one, other) => count(other) - count(one))[0]!;
}

/** Stops after an unclosed quote and after a record that is too long, because the records after it are unknown. */
export function* readCsv(text: string): Generator<FileRecord | ImportError> {
  const named = DELIMITER_LINE.exec(text);
  const delimiter = named === null ? findDelimiter(text) : (named[1] as Delimiter);
  let at = named?.[0].length ?? 0;
  let line = named === null ? 1 : 2;
  let emptyRows = 0;
  const importError = (problem: ImportProblem, lines = 0): ImportError => {
    return { line: line + lines, column: null, problem, value: null };
  };
  while (at < text.length) {
    const rest = text.slice(at, at + RECORD_CHARACTERS_MAX);
    const record = readRecord(rest, delimiter);
    if (record.next > rest.length && at + rest.length < text.length) return yield importError('TOO_LARGE');
    if ('problem' in record) yield importError(record.problem, record.lines);
    else if (!isEmptyRow(record.cells)) yield { line, cells: record.cells };
    else if (++emptyRows > IMPORT_ROWS_MAX) return yield importError('TOO_MANY_ROWS');
    // Yielded too: the reader could not let others in while many are skipped.
    else yield { line, cells: [] };
    line += record.lines + 1;
    at += record.next;
  }
  return undefined;
}

/** Spreadsheets write lines of delimiters for empty rows. */
function isEmptyRow(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}

/** `next`: where the next one begins, beyond the text if this one ends with it. `lines`: the line breaks inside the cells. */
type CsvRecord = { next: number; lines: number } & (
  | { cells: string[] }
  | { problem: 'STRAY_QUOTE' | 'UNCLOSED_QUOTE' }
);

/** The record at the beginning of the text. */
function readRecord(text: string, delimiter: Delimiter): CsvRecord {
  const newline = text.indexOf('\n');
  const line = (newline === -1 ? text : text.slice(0, newline)).replace(/\r$/, '');
  if (line.includes('"')) return readQuoted(text, delimiter);
  return { cells: line.split(delimiter), next: newline === -1 ? text.length + 1 : newline + 1, lines: 0 };
}

function readQuoted(text: string, delimiter: Delimiter): CsvRecord {
  const cells: string[] = [];
  let at = 0;
  let lines = 0;
  for (;;) {
    if (text[at] === '"') {
      const end = closingQuote(text, at);
      if (end === -1) return { problem: 'UNCLOSED_QUOTE', next: text.length + 1, lines: 0 };
      const cell = text.slice(at + 1, end).replaceAll('""', '"');
      lines += cell.split('\n').length - 1;
      cells.push(cell);
      at = end + 1;
    } else {
      const end = endOfCell(text, at, delimiter);
      cells.push(text.slice(at, end));
      at = end;
    }
    if (text[at] === delimiter) at += 1;
    else if (at >= text.length || text[at] === '\n') return { cells, next: at + 1, lines };
    else if (text.startsWith('\r\n', at)) return { cells, next: at + 2, lines };
    else {
      const newline = text.indexOf('\n', at);
      return { problem: 'STRAY_QUOTE', next: newline === -1 ? text.length + 1 : newline + 1, lines };
    }
  }
}

/** @returns -1 if there is none */
function closingQuote(text: string, opening: number): number {
  for (let at = text.indexOf('"', opening + 1); at !== -1; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at;
  return -1;
}

/** The end of a cell without quotes; a quote inside it is not allowed either. */
function endOfCell(text: string, start: number, delimiter: Delimiter): number {
  let at = start;
  while (at < text.length && text[at] !== delimiter && !'"\n'.includes(text[at]!) && !text.startsWith('\r\n', at))
    at += 1;
  return at;
}

export interface FileObject {
  line: number;
  values: Record<string, unknown>;
  /** Of a list whose lines can be read in both. */
  order?: LineOrder;
}

/** Stops after a syntax error, because the objects after it are unknown. */
export function* readJson(text: string): Generator<FileObject | ImportError> {
  let at = skipSpace(text, 0);
  let line = 1 + newlines(text, 0, at);
  const importError = (problem: ImportProblem): ImportError => ({ line, column: null, problem, value: null });
  const moveTo = (next: number) => {
    line += newlines(text, at, next);
    at = next;
  };
  if (text[at] !== '[') return yield importError('NOT_A_LIST');
  moveTo(skipSpace(text, at + 1));
  if (text[at] === ']') return undefined;
  for (;;) {
    if (text[at] !== '{') return yield importError('NOT_AN_OBJECT');
    const end = endOfObject(text, at);
    if (typeof end === 'string') return yield importError(end);
    const value = parseObject(text.slice(at, end));
    if (value === undefined) return yield importError('NOT_JSON');
    yield { line, values: value };
    moveTo(skipSpace(text, end));
    if (text[at] === ']') break;
    if (text[at] !== ',') return yield importError('NOT_JSON');
    moveTo(skipSpace(text, at + 1));
  }
  moveTo(skipSpace(text, at + 1));
  return at < text.length ? yield importError('NOT_JSON') : undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** @returns the index after the closing brace, or why there is none */
function endOfObject(text: string, start: number): number | 'NOT_JSON' | 'TOO_LARGE' {
  const limit = start + RECORD_CHARACTERS_MAX;
  let depth = 0;
  for (let at = start; at < text.length && at < limit; at++) {
    const character = text[at]!;
    if (character === '"') at = closingJsonQuote(text, at, limit);
    else if ('{['.includes(character)) depth += 1;
    else if ('}]'.includes(character)) depth -= 1;
    if (depth === 0) return at + 1;
    if (depth > DEPTH_MAX) return 'TOO_LARGE';
  }
  return text.length < limit ? 'NOT_JSON' : 'TOO_LARGE';
}

/** @returns `limit` if there is none before it */
function closingJsonQuote(text: string, opening: number, limit: number): number {
  for (let at = opening + 1; at < limit; at++) {
    if (text[at] === '"') return at;
    if (text[at] === '\\') at += 1;
  }
  return limit;
}

/** At most as much as the longest record: more is no list of objects. */
function skipSpace(text: string, start: number): number {
  const limit = start + RECORD_CHARACTERS_MAX;
  let at = start;
  while (at < text.length && at < limit && ' \t\r\n'.includes(text[at]!)) at += 1;
  return at;
}

/** Cut out first: a search in the whole text would go on to its end. */
function newlines(text: string, from: number, to: number): number {
  return text.slice(from, to).split('\n').length - 1;
}
