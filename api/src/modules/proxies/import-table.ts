/** The rows of an imported CSV file, by the names in its header. */
import { fromCsvCell } from '@cellhop/contract/csv.values';
import type { ImportError } from '@cellhop/contract/staff/inventory';
import {
  type ImportColumn,
  importColumns,
  type ImportProblem,
  optionalColumns,
} from '@cellhop/contract/staff/inventory.values';
import { type FileObject, readCsv } from './import-files.ts';

/** In the header row. All others are unknown, but errors should name their positions. */
export const COLUMNS_MAX = 64;
const COLUMNS_NAMED_MAX = 20;

export function isColumn(name: string): boolean {
  return [...importColumns, ...optionalColumns].some((column) => column === name);
}

/** The columns may be in any order. Yields null for an empty row. @param required the columns without which the file cannot be read */
export function* readTable(
  text: string,
  required: readonly ImportColumn[],
): Generator<FileObject | ImportError | null> {
  let header: string[] | undefined;
  for (const record of readCsv(text)) {
    if ('problem' in record) {
      yield record;
      // Without a header, every line would be an error.
      if (header === undefined) return undefined;
    } else if (record.cells.length === 0) yield null;
    else if (header === undefined) {
      if (record.cells.length > COLUMNS_MAX)
        return yield { line: record.line, column: null, problem: 'TOO_MANY_COLUMNS', value: String(COLUMNS_MAX) };
      header = record.cells.map((cell) => cell.trim());
      const headerErrors = checkHeader(record.line, header, required);
      yield* headerErrors;
      // With a wrong header too.
      if (headerErrors.length > 0) return undefined;
    } else if (record.cells.length !== header.length)
      yield { line: record.line, column: null, problem: 'WRONG_FIELD_COUNT', value: String(record.cells.length) };
    else yield { line: record.line, values: toValues(header, record.cells) };
  }
  return header === undefined ? yield { line: 1, column: null, problem: 'EMPTY_FILE', value: null } : undefined;
}

function toValues(header: readonly string[], cells: readonly string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [index, column] of header.entries()) values[column] = fromCsvCell(cells[index] ?? '');
  return values;
}

function checkHeader(line: number, header: readonly string[], required: readonly ImportColumn[]): ImportError[] {
  const known = (column: string, problem: ImportProblem): ImportError => ({ line, column, problem, value: null });
  return [
    ...required.filter((column) => !header.includes(column)).map((column) => known(column, 'MISSING_COLUMN')),
    ...header.flatMap((column, index) => (isColumn(column) ? [] : unknownColumn(line, index))),
    ...header
      .filter((column, index) => isColumn(column) && header.indexOf(column) !== index)
      .map((column) => known(column, 'DUPLICATE_COLUMN')),
  ].slice(0, COLUMNS_NAMED_MAX);
}

/** By its position: without its header, the first row of a file may contain a password. */
export function unknownColumn(line: number, index: number): ImportError {
  return { line, column: null, problem: 'UNKNOWN_COLUMN', value: String(index + 1) };
}
