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
  type ImportColumn,
  importColumns,
  type ImportProblem,
  type LineOrder,
  optionalColumns,
} from '@cellhop/contract/staff/inventory.values';
import { z } from 'zod';
import { type FileObject, readJson } from './import-files.ts';
import { type ImportLimits, limitShape, optionalColumn } from './import-limits.ts';
import { type FileRotation, NO_ROTATION, parseRotation } from './import-links.ts';
import { isList, readList } from './import-list.ts';
import { withDecimalPoint } from './import-numbers.ts';
import { isColumn, readTable, unknownColumn } from './import-table.ts';
import { readVendorLine, splitLink } from './vendor-lines.ts';
import { mendZip } from './zip-codes.ts';

export interface ImportRow extends ImportLimits, Place {
  /** Null: the address is not known yet. */
  ip: string | null;
  priceMicros: bigint;
  nodeId: string;
  exitKind: ExitKind;
  exit: ParsedExit;
  /** Null: the file does not say it. */
  rotation: FileRotation | null;
  /** For errors that are found later, against the catalogue. */
  line: number;
}

/** What a file does not say, by column; and the order of lines that can be read in both. */
export type RowDefaults = { [Column in ImportColumn]?: string | undefined } & { order?: LineOrder | undefined };

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
  .refine((code) => isCountryCode(code) || code === UNKNOWN_COUNTRY, problem('NOT_A_COUNTRY'));
const placeSchemas = { country: countrySchema, text: textSchema, asn: optionalColumn(0, parseAsn, 'NOT_AN_ASN') };

const addressSchema = z.string(problem('NOT_TEXT')).transform((text, context) => {
  if (text === '') return null;
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
  rotation: optionalColumn(NO_ROTATION, parseRotation, 'NOT_A_LINK'),
} satisfies Record<Exclude<FileColumn, 'exit'>, z.ZodType>);

interface Reader {
  /** Their ids by name. */
  nodes: ReadonlyMap<string, string>;
  defaults: RowDefaults;
  /** The lines that have an address or, without one, an exit. */
  firstLines: Map<string, number>;
}

/** For unknown places. A text, because filters and pages have one for each proxy. */
export const UNKNOWN = '-';
/** Until a check has seen the address. ISO 3166-1 leaves the code to its users. */
export const UNKNOWN_COUNTRY = 'ZZ';

/**
 * Yields null for an empty row.
 * @param nodes their ids by name
 */
export function* readRows(
  format: FileFormat,
  text: string,
  nodes: ReadonlyMap<string, string>,
  stated: RowDefaults = {},
): Generator<ImportRow | ImportError | null> {
  const [onlyNode] = nodes.size === 1 ? nodes.keys() : [];
  const defaults = { ...stated, node: stated.node ?? onlyNode };
  const reader: Reader = { nodes, defaults, firstLines: new Map() };
  let count = 0;
  for (const item of readItems(format, text, defaults)) {
    if (item === null) yield null;
    else if (++count > IMPORT_ROWS_MAX)
      return yield { line: item.line, column: null, problem: 'TOO_MANY_ROWS', value: String(IMPORT_ROWS_MAX) };
    else if ('problem' in item) yield item;
    else yield* readRow(item, reader);
  }
  return count === 0 ? yield { line: 1, column: null, problem: 'NO_ROWS', value: null } : undefined;
}

function* readItems(format: FileFormat, text: string, defaults: RowDefaults) {
  if (format === 'json') return yield* readJson(text);
  const isOfLines = isList(text);
  // What a provider does not say is asked of staff, apart from the address, which a check finds, and what may be unknown.
  const isAsked = (column: ImportColumn) =>
    defaults[column] === undefined && !['ip', 'region', 'city', 'zip', ...(isOfLines ? ['exit'] : [])].includes(column);
  const missing = importColumns.filter(isAsked);
  if (!isOfLines) return yield* readTable(text, missing);
  // A line may name its kind.
  const asked = missing.filter((column) => column !== 'exitKind');
  if (asked.length === 0) return yield* readList(text, defaults.order);
  for (const column of asked) yield importError(1, column, 'MISSING_COLUMN');
  return undefined;
}

function* readRow(
  { line, values, order }: FileObject,
  { nodes, defaults, firstLines }: Reader,
): Generator<ImportRow | ImportError> {
  const unknown = Object.keys(values).findIndex((key) => !isColumn(key));
  if (unknown !== -1) return yield unknownColumn(line, unknown);
  const texts = toTexts(values, defaults);
  const { kind, exit, link } = readExit(texts, values['exitKind'], order ?? defaults.order);
  const parsed = rowSchema.safeParse({
    ...texts,
    exitKind: kind,
    rotation: texts['rotation'] || (link ?? texts['rotation']),
  });
  if (!parsed.success) yield* toImportErrors(line, parsed.error);
  if (typeof exit === 'string') return yield importError(line, 'exit', exit);
  // An unknown kind is already reported as an error.
  if (!parsed.success || exit === undefined) return undefined;
  const { price, node, ports: portRule, tunnels: tunnelsMax, megabitsPerSecond, ...row } = parsed.data;
  const limits = { portRule, tunnelsMax, bytesPerSecondMax: megabitsPerSecond };
  const zip = mendZip(row.countryCode, row.zip);
  const nodeId = nodes.get(node);
  const identity = row.ip ?? JSON.stringify([node, exit.key, exit.credentials]);
  const firstLine = firstLines.get(identity);
  if (firstLine === undefined) firstLines.set(identity, line);
  else if (row.ip === null) yield { line, column: 'exit', problem: 'DUPLICATE_EXIT', value: String(firstLine) };
  else yield { line, column: 'ip', problem: 'DUPLICATE_IP', value: String(firstLine) };
  if (nodeId === undefined) yield importError(line, 'node', 'UNKNOWN_NODE');
  else if (firstLine === undefined) yield { ...row, ...limits, zip, priceMicros: price, nodeId, exit, line };
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

interface ReadExit {
  /** As the file or the form says, or the line itself. */
  kind: unknown;
  /** Undefined if the kind is unknown. */
  exit: ReturnType<typeof parseExit> | undefined;
  /** Behind the exit. */
  link?: string | undefined;
}

/** @param stated the kind that the file names */
function readExit({ exitKind, exit }: Record<string, unknown>, stated: unknown, order?: LineOrder): ReadExit {
  const kind = exitKinds.find((known) => known === exitKind);
  if (typeof exit !== 'string') return { kind: exitKind, exit: kind && 'NOT_TEXT' };
  if (kind === 'local-address' || (kind === undefined && exitKind !== ''))
    return { kind: exitKind, exit: kind && parseExit(kind, exit) };
  const { proxy, link } = splitLink(exit);
  const readings = readVendorLine(proxy, kind ?? 'socks5');
  const reading = readings.length > 1 ? readings.find((each) => each.order === order) : readings[0];
  const isKnown = kind !== undefined || proxy.includes('://');
  if (reading === undefined)
    return {
      kind: kind ?? exitKind,
      exit: isKnown ? (readings.length > 1 ? 'EITHER_ORDER' : 'NOT_AN_UPSTREAM') : undefined,
      link,
    };
  if (!isKnown) return { kind: exitKind, exit: undefined, link };
  const isOther = typeof stated === 'string' && stated.trim() !== '' && reading.kind !== kind;
  return isOther ? { kind, exit: 'NOT_AN_UPSTREAM', link } : { kind: reading.kind, exit: reading.exit, link };
}

/** JSON may have numbers, and null for a default route. An empty cell is what the form says. */
function toTexts(values: Record<string, unknown>, defaults: RowDefaults): Record<string, unknown> {
  const texts: Record<string, unknown> = {};
  for (const column of importColumns) {
    const text = toText(values[column] ?? '');
    const isUnknown = !(column in values) && ['region', 'city', 'zip'].includes(column);
    texts[column] = text === '' ? (defaults[column] ?? (isUnknown ? UNKNOWN : '')) : text;
  }
  // What has no column stays what it is.
  for (const column of optionalColumns) if (column in values) texts[column] = toText(values[column] ?? '');
  return texts;
}

function toText(value: unknown): unknown {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : value;
}

/** Without the refused value: it could be a password, if a delimiter in it or a wrong header has moved the cells. */
function importError(line: number, column: FileColumn, problemName: ImportProblem): ImportError {
  return { line, column, problem: problemName, value: null };
}
