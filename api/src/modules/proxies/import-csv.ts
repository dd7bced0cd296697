/**
 * Reads a CSV file (RFC 4180) record by record, with line numbers. Not a library, because the parser is one function and must report the
 * line of each error.
 */
import type { ImportError } from '@cellhop/contract/staff/inventory';

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
