/** Reads the rows of a file of proxies, and reports errors by line and column. */
import { canonicalAddress } from '@cellhop/contract/network';
import {
  FILTER_VALUE_LENGTH_MAX,
  IMPORT_ROWS_MAX,
  NODE_NAME_LENGTH_MAX,
  PROXY_PRICE_MAX,
} from '@cellhop/contract/limits';
import type { ImportError } from '@cellhop/contract/staff/inventory';
import {
  type FileFormat,
  type ImportColumn,
  importColumns,
  type ImportProblem,
  type LimitColumn,
  limitColumns,
} from '@cellhop/contract/staff/inventory.values';
import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { type ExitKind, exitKinds, type ImportUpstream, parseExit } from './import-exit.ts';
import { readCsv, readJson } from './import-files.ts';
import { type ImportLimits, limitShape } from './import-limits.ts';

export interface ImportRow extends ImportLimits {
  ip: string;
  priceMicros: bigint;
  countryCode: string;
  region: string;
  city: string;
  zip: string;
  isp: string;
  connectionType: string;
  nodeId: string;
  exitKind: ExitKind;
  /** An address (empty: the host's own route), or the upstream without its credentials. */
  exit: string;
  /** The line number, for errors that are found later, against the catalogue. */
  upstream?: (ImportUpstream & { line: number }) | undefined;
}

const problem = (name: ImportProblem) => name;

const NEWLINE = 0x0a;
const PIECE_BYTES = 64 * 1024;
const CONTROL_CHARACTER = /\p{Cc}|\p{Surrogate}/u;
/** Spreadsheets run such texts of an exported file. A single hyphen stands for an unknown name. */
const LIKE_A_FORMULA = /^(?:[=+@]|-.)/;

const textSchema = z
  .string(problem('NOT_TEXT'))
  .min(1, problem('REQUIRED'))
  .max(FILTER_VALUE_LENGTH_MAX, problem('TOO_LONG'))
  .refine((text) => !CONTROL_CHARACTER.test(text), problem('INVALID_TEXT'))
  .refine((text) => !LIKE_A_FORMULA.test(text), problem('LIKE_A_FORMULA'));

const addressSchema = z
  .string(problem('NOT_TEXT'))
  .min(1, problem('REQUIRED'))
  .transform((text, context) => {
    const address = text.includes('%') ? undefined : canonicalAddress(text);
    if (address !== undefined) return address;
    context.addIssue({ code: 'custom', message: problem('NOT_AN_ADDRESS') });
    return z.NEVER;
  });

/** US dollars with at most four decimals: a multiple of 100 micro-dollars, which the table requires. */
const PRICE = /^(\d{1,5})(?:\.(\d{1,4})0*)?$/;
const MICROS_PER_DOLLAR = 1_000_000n;

const priceSchema = z
  .string(problem('NOT_TEXT'))
  .min(1, problem('REQUIRED'))
  .transform((text, context) => {
    const [, dollars, decimals = ''] = PRICE.exec(text) ?? [];
    const micros = BigInt(dollars ?? 0) * MICROS_PER_DOLLAR + BigInt(decimals.padEnd(6, '0'));
    if (micros > 0n && micros <= BigInt(PROXY_PRICE_MAX) * MICROS_PER_DOLLAR) return micros;
    context.addIssue({ code: 'custom', message: problem('NOT_A_PRICE') });
    return z.NEVER;
  });

const rowSchema = z.object({
  ip: addressSchema,
  price: priceSchema,
  countryCode: textSchema.regex(/^[A-Z]{2}$/, problem('NOT_A_COUNTRY')),
  region: textSchema,
  city: textSchema,
  zip: textSchema,
  isp: textSchema,
  connectionType: textSchema,
  node: textSchema.max(NODE_NAME_LENGTH_MAX, problem('TOO_LONG')),
  exitKind: z.enum(exitKinds, problem('UNKNOWN_EXIT_KIND')),
  ...limitShape,
} satisfies Record<Exclude<ImportColumn | LimitColumn, 'exit'>, z.ZodType>);

/** @returns the text, or the line that is not UTF-8 */
export function decode(content: Buffer): string | ImportError {
  if (isUtf8(content)) return new TextDecoder().decode(content);
  // Large pieces first: a search that begins line by line takes seconds.
  const start = firstWrongPiece(content, firstWrongPiece(content, 0, PIECE_BYTES), 1);
  return { line: 1 + countNewlines(content.subarray(0, start)), column: null, problem: 'NOT_UTF8', value: null };
}

/** @returns where the first piece that is not UTF-8 starts, or the last one. A piece ends at a line end. */
function firstWrongPiece(content: Buffer, from: number, bytes: number): number {
  for (let start = from; ;) {
    const newline = content.indexOf(NEWLINE, start + bytes - 1);
    if (newline === -1 || !isUtf8(content.subarray(start, newline))) return start;
    start = newline + 1;
  }
}

function countNewlines(content: Buffer): number {
  let count = 0;
  for (const byte of content) if (byte === NEWLINE) count += 1;
  return count;
}

type Line = { line: number; values: Record<string, unknown> };

/** @param nodes their ids by name */
export function* readRows(
  format: FileFormat,
  text: string,
  nodes: ReadonlyMap<string, string>,
): Generator<ImportRow | ImportError> {
  const firstLines = new Map<string, number>();
  let count = 0;
  for (const item of format === 'csv' ? readTable(text) : readJson(text)) {
    if (++count > IMPORT_ROWS_MAX)
      return yield { line: item.line, column: null, problem: 'TOO_MANY_ROWS', value: String(IMPORT_ROWS_MAX) };
    if ('problem' in item) yield item;
    else yield* readRow(item, nodes, firstLines);
  }
  return count === 0 ? yield { line: 1, column: null, problem: 'NO_ROWS', value: null } : undefined;
}

function* readRow(
  { line, values }: Line,
  nodes: ReadonlyMap<string, string>,
  firstLines: Map<string, number>,
): Generator<ImportRow | ImportError> {
  const unknown = Object.keys(values).find((key) => !isColumn(key));
  if (unknown !== undefined) return yield { line, column: shorten(unknown), problem: 'UNKNOWN_COLUMN', value: null };
  const texts = toTexts(values);
  const parsed = rowSchema.safeParse(texts);
  const exit = readExit(texts);
  if (!parsed.success) yield* toImportErrors(line, values, parsed.error);
  if (typeof exit === 'string') return yield importError(line, values, 'exit', exit);
  // An unknown kind is already reported as an error.
  if (!parsed.success || exit === undefined) return undefined;
  const { price, node, ports: portRule, tunnels: tunnelsMax, megabitsPerSecond, ...row } = parsed.data;
  const limits = { portRule, tunnelsMax, bytesPerSecondMax: megabitsPerSecond };
  const nodeId = nodes.get(node);
  const firstLine = firstLines.get(row.ip);
  if (firstLine === undefined) firstLines.set(row.ip, line);
  else yield { line, column: 'ip', problem: 'DUPLICATE_IP', value: String(firstLine) };
  if (nodeId === undefined) yield importError(line, values, 'node', 'UNKNOWN_NODE');
  else if (firstLine === undefined) {
    const upstream = exit.upstream && { ...exit.upstream, line };
    yield { ...row, ...limits, priceMicros: price, nodeId, exit: exit.exit, upstream };
  }
  return undefined;
}

function* toImportErrors(line: number, values: Record<string, unknown>, error: z.ZodError): Generator<ImportError> {
  const columns = new Set<string>();
  for (const { path, message } of error.issues) {
    const column = String(path[0]);
    // Only the first error of each cell: the others follow from it.
    if (!columns.has(column))
      yield importError(line, values, column as ImportColumn | LimitColumn, message as ImportProblem);
    columns.add(column);
  }
}

/** @returns undefined if the kind is unknown */
function readExit({ exitKind, exit }: Record<string, unknown>): ReturnType<typeof parseExit> | undefined {
  const kind = exitKinds.find((known) => known === exitKind);
  return kind && (typeof exit === 'string' ? parseExit(kind, exit) : 'NOT_TEXT');
}

/** JSON may have numbers, and null for a default route. */
function toTexts(values: Record<string, unknown>): Record<string, unknown> {
  const texts: Record<string, unknown> = {};
  for (const column of [...importColumns, ...limitColumns]) {
    // A limit whose column is missing stays what it is.
    if (isLimit(column) && !(column in values)) continue;
    const value = values[column] ?? '';
    texts[column] = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : value;
  }
  return texts;
}

function importError(
  line: number,
  values: Record<string, unknown>,
  column: ImportColumn | LimitColumn,
  problemName: ImportProblem,
): ImportError {
  const value = values[column];
  return {
    line,
    column,
    problem: problemName,
    value: isShown(column, value) ? shorten(String(value)) : null,
  };
}

/** Credentials of exits are not repeated, even where cells are in the wrong column. */
function isShown(column: ImportColumn | LimitColumn, value: unknown): value is string | number {
  if (typeof value === 'number') return true;
  return typeof value === 'string' && !/@|:\/\//.test(value) && !(column === 'exit' && value.includes(':'));
}

const SHOWN_LENGTH = 60;

/** Removes the unpaired surrogate that a cut through a pair leaves. */
function shorten(text: string): string {
  return text.slice(0, SHOWN_LENGTH).replaceAll(/\p{Surrogate}/gu, '');
}

/** In the header row. All others are unknown, but the error should name them. */
export const COLUMNS_MAX = 64;

/** Reads the records of a CSV file by the names in its header row, which may be in any order. */
function* readTable(text: string): Generator<Line | ImportError> {
  let header: string[] | undefined;
  for (const record of readCsv(text)) {
    if ('problem' in record) {
      yield record;
      // Without a header, every line would be an error.
      if (header === undefined) return undefined;
    } else if (header === undefined) {
      if (record.cells.length > COLUMNS_MAX)
        return yield { line: record.line, column: null, problem: 'TOO_MANY_COLUMNS', value: String(COLUMNS_MAX) };
      header = record.cells.map((cell) => cell.trim());
      const headerErrors = checkHeader(record.line, header);
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
  for (const [index, column] of header.entries()) values[column] = cells[index];
  return values;
}

const COLUMNS_NAMED_MAX = 20;

function isColumn(name: string): boolean {
  return importColumns.some((column) => column === name) || isLimit(name);
}

function isLimit(name: string): boolean {
  return limitColumns.some((column) => column === name);
}

function checkHeader(line: number, header: readonly string[]): ImportError[] {
  const name = (column: string, problemName: ImportProblem): ImportError => ({
    line,
    column: shorten(column),
    problem: problemName,
    value: null,
  });
  return [
    ...importColumns.filter((column) => !header.includes(column)).map((column) => name(column, 'MISSING_COLUMN')),
    ...header.filter((column) => !isColumn(column)).map((column) => name(column, 'UNKNOWN_COLUMN')),
    ...header
      .filter((column, index) => isColumn(column) && header.indexOf(column) !== index)
      .map((column) => name(column, 'DUPLICATE_COLUMN')),
  ].slice(0, COLUMNS_NAMED_MAX);
}
