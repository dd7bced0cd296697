/**
 * Reads imported files: CSV (RFC 4180) record by record, and a JSON list object by object, with line numbers. Not by a library, because
 * each parser is one function and must report the line of each error.
 */
import type { ImportError } from '@cellhop/contract/staff/inventory';
import type { ImportProblem } from '@cellhop/contract/staff/inventory.values';

export interface FileRecord {
  line: number;
  cells: string[];
}

/** Stops after an unclosed quote, because the records after it are unknown. Empty lines are skipped. */
export function* readCsv(text: string): Generator<FileRecord | ImportError> {
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    const plain = text.slice(at, end).replace(/\r$/, '');
    if (!plain.includes('"')) {
      if (plain.trim() !== '') yield { line, cells: plain.split(',') };
      at = end + 1;
      line += 1;
      continue;
    }
    const record = readQuoted(text, at);
    if ('problem' in record) {
      yield { line: line + record.lines, column: null, problem: record.problem, value: null };
      if (record.problem === 'UNCLOSED_QUOTE') return;
    } else yield { line, cells: record.cells };
    line += record.lines + 1;
    at = record.next;
  }
}

type Quoted = { next: number; lines: number } & ({ cells: string[] } | { problem: 'STRAY_QUOTE' | 'UNCLOSED_QUOTE' });

/** A record with quotes. `lines`: the line breaks inside its cells. */
function readQuoted(text: string, start: number): Quoted {
  const cells: string[] = [];
  let at = start;
  let lines = 0;
  for (;;) {
    if (text[at] === '"') {
      const end = closingQuote(text, at);
      if (end === -1) return { problem: 'UNCLOSED_QUOTE', next: text.length, lines: 0 };
      const cell = text.slice(at + 1, end).replaceAll('""', '"');
      lines += cell.split('\n').length - 1;
      cells.push(cell);
      at = end + 1;
    } else {
      const end = endOfCell(text, at);
      cells.push(text.slice(at, end));
      at = end;
    }
    if (text[at] === ',') at += 1;
    else if (at >= text.length || text[at] === '\n') return { cells, next: at + 1, lines };
    else if (text.startsWith('\r\n', at)) return { cells, next: at + 2, lines };
    else {
      const newline = text.indexOf('\n', at);
      return { problem: 'STRAY_QUOTE', next: newline === -1 ? text.length : newline + 1, lines };
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
function endOfCell(text: string, start: number): number {
  let at = start;
  while (at < text.length && !'",\n'.includes(text[at]!) && !text.startsWith('\r\n', at)) at += 1;
  return at;
}

export interface FileObject {
  line: number;
  values: Record<string, unknown>;
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
    const end = text[at] === '{' ? endOfObject(text, at) : -1;
    const value = end === -1 ? undefined : parseObject(text.slice(at, end));
    if (value === undefined) return yield importError(text[at] === '{' ? 'NOT_JSON' : 'NOT_AN_OBJECT');
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

/** @returns the index after the closing brace; -1 if there is none */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      at = closingJsonQuote(text, at);
      if (at === -1) return -1;
    } else if (character === '{') depth += 1;
    else if (character === '}' && --depth === 0) return at + 1;
  }
  return -1;
}

function closingJsonQuote(text: string, opening: number): number {
  for (let at = opening + 1; at < text.length; at++) {
    if (text[at] === '"') return at;
    if (text[at] === '\\') at += 1;
  }
  return -1;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t\r\n'.includes(text[at]!)) at += 1;
  return at;
}

function newlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
