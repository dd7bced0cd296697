/** The catalogue on the command line: the imports, exports and bulk changes of the admin area. */
import { isCountryCode } from '@cellhop/contract/countries.values';
import {
  CONNECTION_TUNNELS_MAX,
  IMPORT_BYTES_MAX,
  IMPORT_ERRORS_COUNTED_MAX,
  PERCENT_MAX,
  PERCENT_MIN,
} from '@cellhop/contract/limits';
import {
  type ChangeCounts,
  type ImportError,
  inventoryFilterSchema,
  type InventoryFilter,
  type PriceChange,
  proxyPriceSchema,
} from '@cellhop/contract/staff/inventory';
import {
  type ImportProblem,
  type FileFormat,
  fileFormats,
  proxyStates,
} from '@cellhop/contract/staff/inventory.values';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { Ctx } from '../ctx.ts';
import type { Command, Order } from './command.ts';
import type { Terminal } from './terminal.ts';
import * as changes from '../modules/proxies/inventory-changes.service.ts';
import type { ChangeRequest } from '../modules/proxies/inventory-changes.service.ts';
import * as imports from '../modules/proxies/imports.service.ts';
import * as inventory from '../modules/proxies/inventory.service.ts';

export const catalogue: Command = {
  name: 'catalogue',
  summary: 'Imports, exports and changes the catalogue',
  usage: 'COMMAND',
  details: `  import FILE [--dry-run] [--format=csv|json]   checks a file, and puts all of it into the catalogue, or nothing
  export [--format=csv|json] [FILTER]           writes the catalogue to the standard output, as CSV by default
  price --set=DOLLARS | --percent=N [FILTER]    changes prices (US dollars for 100 MB), for example --percent=-10
  retire [FILTER]                               takes proxies out of the catalogue; open connections go on
  restore [FILTER]                              returns retired proxies to the catalogue

FILTER: --ip=192.0.2 --country=DE,FR --isp=NAME --node=NAME --state=${proxyStates.join('|')}
price, retire and restore only count, unless --apply=COUNT names the number that they counted before.
The format of an imported file follows its name.`,
  subject: 'The filter',
  parse(values): Order {
    const command = parseCatalogueArguments(values);
    return { kind: kindOf(command), run: (ctx, terminal) => run(ctx, command, terminal) };
  },
};

/** An import is stored before it is applied, and an export is recorded in the audit log. */
function kindOf(command: CatalogueCommand): Order['kind'] {
  return command.name === 'import' || command.name === 'export' || command.apply !== undefined ? 'change' : 'question';
}

const REFUSED = 'Nothing was changed: the proxies are no longer the same.';
const OPERATOR: inventory.Editor = { actorId: undefined, requester: undefined };

function run(ctx: Ctx, command: CatalogueCommand, terminal: Terminal): Promise<string | false> {
  if (command.name === 'import') return importFile(ctx, command, terminal);
  // Not refused: older releases imported such codes.
  for (const code of command.filter.country?.filter((code) => !isCountryCode(code)) ?? [])
    terminal.say(`${code} is not the code of a country in ISO 3166-1.`);
  return command.name === 'export' ? exportAll(ctx, command, terminal) : changeAll(ctx, command, terminal);
}

async function exportAll(
  ctx: Ctx,
  { filter, format }: Extract<CatalogueCommand, { name: 'export' }>,
  { write }: Terminal,
): Promise<string> {
  for await (const chunk of inventory.exportInventory(ctx, OPERATOR, filter, format)) await write(chunk);
  return '';
}

async function importFile(
  ctx: Ctx,
  { file, format, isDryRun }: Extract<CatalogueCommand, { name: 'import' }>,
  terminal: Terminal,
): Promise<string | false> {
  const { say } = terminal;
  const content = await readFile(terminal.path(file));
  if (content.length > IMPORT_BYTES_MAX) {
    say(`${file} is larger than ${IMPORT_BYTES_MAX / 1_048_576} MB: divide it.`);
    return false;
  }
  const checked = await imports.checkImport(ctx, OPERATOR, { format, content, fileName: path.basename(file) });
  if (checked.id === null) {
    for (const error of checked.errors) say(describe(file, error));
    const isStopped = checked.errorCount === IMPORT_ERRORS_COUNTED_MAX;
    say(`Mistakes: ${checked.errorCount}${isStopped ? ' or more' : ''}. Nothing was imported.`);
    return false;
  }
  if (isDryRun) {
    say(`${countsText(checked)} A dry run: nothing was imported.`);
    return '';
  }
  const isDone = await change(ctx, { kind: 'IMPORT', request: { importId: checked.id } }, say);
  say(isDone ? `${countsText(checked)} Imported.` : REFUSED);
  return isDone && '';
}

const countsText = ({ newCount, changedCount, unchangedCount }: ChangeCounts) =>
  `${newCount} new, ${changedCount} changed, ${unchangedCount} unchanged.`;

async function changeAll(
  ctx: Ctx,
  command: Exclude<CatalogueCommand, { name: 'import' | 'export' }>,
  { say }: Terminal,
): Promise<string | false> {
  const { filter, apply } = command;
  const { count, fingerprint, lowestPrice, highestPrice } = await inventory.readSelection(ctx, filter);
  say(count === 0 ? 'No proxy matches.' : `Proxies that match: ${count}, at $${lowestPrice} to $${highestPrice}.`);
  if (apply === undefined) {
    if (count > 0) say(`Nothing was changed. To change exactly these, add --apply=${count}.`);
    return '';
  }
  if (count !== apply) {
    say(`Nothing was changed: these are not the ${apply} of --apply.`);
    return false;
  }
  const seen = { filter, count, fingerprint };
  const order: ChangeRequest =
    command.name === 'price'
      ? { kind: 'PRICE', request: { ...seen, change: command.change } }
      : { kind: command.name === 'retire' ? 'RETIRE' : 'RESTORE', request: seen };
  const isDone = await change(ctx, order, say);
  say(isDone ? `Changed: ${count}.` : REFUSED);
  return isDone && '';
}

/**
 * Applies a change in this process and reports the progress. If the process ends early, the worker's job applies the change.
 * @returns false if it was refused
 */
async function change(ctx: Ctx, order: ChangeRequest, say: Terminal['say']): Promise<boolean> {
  const { id, rowCount } = await changes.orderChange(ctx, OPERATOR, order);
  const onProgress = async (doneCount: number) => {
    if (doneCount > 0 && doneCount < rowCount) say(`${doneCount} of ${rowCount}`);
  };
  await changes.applyChange(ctx, { changeId: id }, { onProgress });
  return (await changes.getChange(ctx, id)).status === 'DONE';
}

function describe(file: string, { line, column, problem, value }: ImportError): string {
  const place = column === null ? `${file}:${line}` : `${file}:${line}: ${column}`;
  return `${place}: ${problemTexts[problem]}${value === null ? '' : ` (${value})`}`;
}

const problemTexts: Record<ImportProblem, string> = {
  NOT_UTF8: 'is neither UTF-8 nor UTF-16 with a byte order mark',
  EMPTY_FILE: 'is an empty file',
  NO_ROWS: 'has no data rows',
  TOO_MANY_ROWS: 'has too many rows',
  TOO_MANY_COLUMNS: 'has too many columns',
  TOO_LARGE: 'is longer than 64 KiB, or nested too deeply',
  MISSING_COLUMN: 'is missing from the header',
  UNKNOWN_COLUMN: 'has an unknown column, by its number',
  DUPLICATE_COLUMN: 'is a duplicate column',
  WRONG_FIELD_COUNT: 'has the wrong number of fields',
  STRAY_QUOTE: 'has an unexpected quotation mark: double it, and quote the field',
  UNCLOSED_QUOTE: 'has an unclosed quotation mark',
  NOT_JSON: 'is not valid JSON',
  NOT_A_LIST: 'is not a JSON array',
  NOT_AN_OBJECT: 'is not a JSON object',
  NOT_TEXT: 'is neither a string nor a number',
  REQUIRED: 'is empty',
  TOO_LONG: 'is too long',
  INVALID_TEXT: 'contains invisible or broken characters',
  NOT_AN_ADDRESS: 'is not an IP address',
  NOT_A_PRICE:
    'is not a valid price: dollars for 100 MB, more than 0, with at most four decimals; for 1,234 write 1,2340 or 1234',
  NOT_A_COUNTRY: 'is not the code of a country in ISO 3166-1, such as GB',
  NOT_AN_ASN: 'is not the number of an autonomous system, such as 3320 or AS3320',
  UNKNOWN_NODE: 'is not the name of a gateway node',
  UNKNOWN_EXIT_KIND: 'is not a kind of exit: local-address, socks5 or http',
  NOT_AN_UPSTREAM: 'is not a proxy of this kind, such as socks5://user:password@host:port',
  REFUSED_UPSTREAM:
    'is an address of this service itself, one of its gateways, its database or the metadata service of a cloud',
  HIDDEN_CREDENTIALS: 'has masked credentials, but the proxy has no such exit to keep them from',
  NOT_A_PORT_RULE: 'must look like "deny 25 465-587" or "allow 80 443"',
  NOT_A_TUNNEL_COUNT: `must be a whole number from 1 to ${CONNECTION_TUNNELS_MAX}`,
  NOT_A_SPEED: 'must be megabits per second from 0.1 to 10000, with at most three decimals',
  DUPLICATE_IP: 'is a duplicate of line',
};

interface Bulk {
  filter: InventoryFilter;
  /** Undefined: counts only. */
  apply: number | undefined;
}
export type CatalogueCommand =
  | { name: 'import'; file: string; format: FileFormat; isDryRun: boolean }
  | { name: 'export'; format: FileFormat; filter: InventoryFilter }
  | ({ name: 'price'; change: PriceChange } & Bulk)
  | ({ name: 'retire' | 'restore' } & Bulk);

const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true } as const;
const filterOptions = { ip: text, country: texts, isp: texts, node: text, state: text };
const commandOptions = {
  import: { format: text, 'dry-run': { type: 'boolean' } },
  export: { format: text, ...filterOptions },
  price: { set: text, percent: text, apply: text, ...filterOptions },
  retire: { apply: text, ...filterOptions },
  restore: { apply: text, ...filterOptions },
} as const;
const commandSchema = z.enum(Object.keys(commandOptions) as (keyof typeof commandOptions)[]);

const formatSchema = z.enum(fileFormats, '--format is csv or json');
const numberSchema = z
  .string()
  .regex(/^-?\d+(?:\.\d+)?$/, 'a number is missing')
  .transform(Number);
const valuesSchema = z.object({
  format: formatSchema.optional(),
  'dry-run': z.boolean().default(false),
  set: numberSchema.pipe(proxyPriceSchema).optional(),
  percent: numberSchema.pipe(z.number().min(PERCENT_MIN).max(PERCENT_MAX)).optional(),
  apply: numberSchema.pipe(z.int().min(1)).optional(),
});

/** @throws Error with a sentence for each invalid argument */
export function parseCatalogueArguments([given = '', ...rest]: readonly string[]): CatalogueCommand {
  const command = commandSchema.safeParse(given);
  if (!command.success) throw new Error(given === '' ? 'Which command?' : `There is no command "${given}".`);
  const name = command.data;
  const { values, positionals } = parseArgs({
    args: [...rest],
    options: commandOptions[name],
    allowPositionals: name === 'import',
  });
  const { ip, country, isp, node, state, ...others } = values as Record<string, unknown>;
  const { format, 'dry-run': isDryRun, ...bulk } = parse(valuesSchema, others);
  if (name === 'import') return { name, isDryRun, ...toFile(positionals, format) };
  const wanted = { ip, country: toList(country)?.map(upper), isp: toList(isp), node, state };
  const filter = parse(inventoryFilterSchema, JSON.parse(JSON.stringify(wanted)));
  if (name === 'export') return { name, format: format ?? 'csv', filter };
  if (name !== 'price') return { name, filter, apply: bulk.apply };
  return { name, filter, apply: bulk.apply, change: toPriceChange(bulk) };
}

function toFile([file, ...more]: readonly string[], format: FileFormat | undefined) {
  if (file === undefined || more.length > 0) throw new Error('Name one file to import.');
  return { file, format: format ?? (file.toLowerCase().endsWith('.json') ? ('json' as const) : ('csv' as const)) };
}

function toPriceChange({ set, percent }: { set?: number | undefined; percent?: number | undefined }): PriceChange {
  if (set !== undefined && percent === undefined) return { price: set };
  if (percent !== undefined && set === undefined) return { percent };
  throw new Error('Name either --set=DOLLARS or --percent=N.');
}

/** Repeated, or separated by commas. */
function toList(values: unknown): string[] | undefined {
  return Array.isArray(values) ? values.flatMap((value: string) => value.split(',')) : undefined;
}

function upper(code: string): string {
  return code.toUpperCase();
}

function parse<T extends z.ZodType>(schema: T, values: unknown): z.output<T> {
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  throw new Error(parsed.error.issues.map(({ path, message }) => `--${String(path[0])}: ${message}`).join('\n'));
}
