/** Reads the rows of a file of proxies, and reports errors by line and column. */
import { isCountryCode } from '@cellhop/contract/countries.values';
import { canonicalAddress } from '@cellhop/contract/network';
import {
  FILTER_VALUE_LENGTH_MAX,
  IMPORT_ROWS_MAX,
  NODE_NAME_LENGTH_MAX,
  PROXY_PRICE_MAX,
} from '@cellhop/contract/limits';
import { ofPlace, parseAsn, type Place, type PlaceColumn, placeColumns } from '@cellhop/contract/places.values';
import { type ExitKind, exitKinds, parseExit, type ParsedExit } from '@cellhop/contract/exits';
import type { ImportError } from '@cellhop/contract/staff/inventory';
import {
  type FileColumn,
  type FileFormat,
  importColumns,
  type ImportProblem,
  optionalColumns,
} from '@cellhop/contract/staff/inventory.values';
import { z } from 'zod';
import { type FileObject, readJson } from './import-files.ts';
import { type ImportLimits, limitShape, optionalColumn } from './import-limits.ts';
import { withDecimalPoint } from './import-numbers.ts';
import { isColumn, readTable, unknownColumn } from './import-table.ts';

export interface ImportRow extends ImportLimits, Place {
  ip: string;
  priceMicros: bigint;
  nodeId: string;
  exitKind: ExitKind;
  exit: ParsedExit;
  /** For errors that are found later, against the catalogue. */
  line: number;
}

const problem = (name: ImportProblem) => name;

/** Names that look equal should be equal: no control characters, marks of direction, letters without a shape, or broken ones. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\uFFFD]/u;
const SPACES = /\p{Zs}/gu;

const textSchema = z
  .string(problem('NOT_TEXT'))
  .min(1, problem('REQUIRED'))
  // Before the normalisation, whose time grows with the square of the marks after a letter, and after it, because it can lengthen a text.
  .max(FILTER_VALUE_LENGTH_MAX, problem('TOO_LONG'))
  .refine((text) => !INVISIBLE.test(text), problem('INVALID_TEXT'))
  .transform((text) => text.normalize('NFC').replaceAll(SPACES, ' '))
  .refine((text) => text.length <= FILTER_VALUE_LENGTH_MAX, problem('TOO_LONG'));

const countrySchema = z
  .string(problem('NOT_TEXT'))
  .min(1, problem('REQUIRED'))
  .refine(isCountryCode, problem('NOT_A_COUNTRY'));
const placeSchemas = { country: countrySchema, text: textSchema, asn: optionalColumn(0, parseAsn, 'NOT_AN_ASN') };

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
    const [, dollars, decimals = ''] = PRICE.exec(withDecimalPoint(text)) ?? [];
    const micros = BigInt(dollars ?? 0) * MICROS_PER_DOLLAR + BigInt(decimals.padEnd(6, '0'));
    if (micros > 0n && micros <= BigInt(PROXY_PRICE_MAX) * MICROS_PER_DOLLAR) return micros;
    context.addIssue({ code: 'custom', message: problem('NOT_A_PRICE') });
    return z.NEVER;
  });

const rowSchema = z.object({
  ip: addressSchema,
  price: priceSchema,
  ...(ofPlace((name) => placeSchemas[placeColumns[name].check]) as { [Name in PlaceColumn]: z.ZodType<Place[Name]> }),
  node: textSchema.refine((name) => name.length <= NODE_NAME_LENGTH_MAX, problem('TOO_LONG')),
  exitKind: z.enum(exitKinds, problem('UNKNOWN_EXIT_KIND')),
  ...limitShape,
} satisfies Record<Exclude<FileColumn, 'exit'>, z.ZodType>);

/**
 * Yields null for an empty row.
 * @param nodes their ids by name
 */
export function* readRows(
  format: FileFormat,
  text: string,
  nodes: ReadonlyMap<string, string>,
): Generator<ImportRow | ImportError | null> {
  const firstLines = new Map<string, number>();
  let count = 0;
  for (const item of format === 'csv' ? readTable(text) : readJson(text)) {
    if (item === null) yield null;
    else if (++count > IMPORT_ROWS_MAX)
      return yield { line: item.line, column: null, problem: 'TOO_MANY_ROWS', value: String(IMPORT_ROWS_MAX) };
    else if ('problem' in item) yield item;
    else yield* readRow(item, nodes, firstLines);
  }
  return count === 0 ? yield { line: 1, column: null, problem: 'NO_ROWS', value: null } : undefined;
}

function* readRow(
  { line, values }: FileObject,
  nodes: ReadonlyMap<string, string>,
  firstLines: Map<string, number>,
): Generator<ImportRow | ImportError> {
  const unknown = Object.keys(values).findIndex((key) => !isColumn(key));
  if (unknown !== -1) return yield unknownColumn(line, unknown);
  const texts = toTexts(values);
  const parsed = rowSchema.safeParse(texts);
  const exit = readExit(texts);
  if (!parsed.success) yield* toImportErrors(line, parsed.error);
  if (typeof exit === 'string') return yield importError(line, 'exit', exit);
  // An unknown kind is already reported as an error.
  if (!parsed.success || exit === undefined) return undefined;
  const { price, node, ports: portRule, tunnels: tunnelsMax, megabitsPerSecond, ...row } = parsed.data;
  const limits = { portRule, tunnelsMax, bytesPerSecondMax: megabitsPerSecond };
  const nodeId = nodes.get(node);
  const firstLine = firstLines.get(row.ip);
  if (firstLine === undefined) firstLines.set(row.ip, line);
  else yield { line, column: 'ip', problem: 'DUPLICATE_IP', value: String(firstLine) };
  if (nodeId === undefined) yield importError(line, 'node', 'UNKNOWN_NODE');
  else if (firstLine === undefined) yield { ...row, ...limits, priceMicros: price, nodeId, exit, line };
  return undefined;
}

function* toImportErrors(line: number, error: z.ZodError): Generator<ImportError> {
  const columns = new Set<string>();
  for (const { path, message } of error.issues) {
    const column = String(path[0]);
    // Only the first error of each cell: the others follow from it.
    if (!columns.has(column)) yield importError(line, column as FileColumn, message as ImportProblem);
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
  for (const column of [...importColumns, ...optionalColumns]) {
    // What has no column stays what it is.
    if (optionalColumns.includes(column) && !(column in values)) continue;
    const value = values[column] ?? '';
    texts[column] = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : value;
  }
  return texts;
}

/** Without the refused value: it could be a password, if a delimiter in it or a wrong header has moved the cells. */
function importError(line: number, column: FileColumn, problemName: ImportProblem): ImportError {
  return { line, column, problem: problemName, value: null };
}
