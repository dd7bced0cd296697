/** The catalogue on the command line: the imports, exports and bulk changes of the admin area. */
import { isCountryCode } from '@cellhop/contract/countries.values';
import { IMPORT_BYTES_MAX, IMPORT_ERRORS_COUNTED_MAX, PERCENT_MAX, PERCENT_MIN } from '@cellhop/contract/limits';
import {
  type ChangeCounts,
  inventoryFilterSchema,
  type InventoryFilter,
  type PriceChange,
} from '@cellhop/contract/staff/inventory';
import {
  type FileFormat,
  fileFormats,
  lineKinds,
  lineOrders,
  proxyStates,
} from '@cellhop/contract/staff/inventory.values';
import { type ImportDefaults, importDefaultsSchema, type PreviewRow } from '@cellhop/contract/staff/import-lines';
import { proxyPriceSchema } from '@cellhop/contract/schemas';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { Ctx } from '../ctx.ts';
import { describe } from './import-problems.ts';
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
  details: `  import FILE [--dry-run] [--format=csv|json] [DEFAULTS]
                                                checks a file, and puts all of it into the catalogue, or nothing
  export [--format=csv|json] [FILTER]           writes the catalogue to the standard output, as CSV by default
  price --set=DOLLARS | --percent=N [FILTER]    changes prices (US dollars for 100 MB), for example --percent=-10
  retire [FILTER]                               takes proxies out of the catalogue; open connections go on
  restore [FILTER]                              returns retired proxies to the catalogue

FILTER: --ip=192.0.2 --country=DE,FR --isp=NAME --node=NAME --state=${proxyStates.join('|')}
price, retire and restore only count, unless --apply=COUNT names the number that they counted before.
DEFAULTS, for what the file does not say: --price=DOLLARS --country=DE --isp=NAME --type=LTE --node=NAME --kind=${lineKinds.join('|')}
and, for lines that can be read both ways, --order=${lineOrders.join('|')}
The format of an imported file follows its name. A file without a header is a list of proxies, such as host:port:user:password.`,
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
  { file, format, isDryRun, defaults }: Extract<CatalogueCommand, { name: 'import' }>,
  terminal: Terminal,
): Promise<string | false> {
  const { say } = terminal;
  const content = await readFile(terminal.path(file));
  if (content.length > IMPORT_BYTES_MAX) {
    say(`${file} is larger than ${IMPORT_BYTES_MAX / 1_048_576} MB: divide it.`);
    return false;
  }
  const checked = await imports.checkImport(ctx, OPERATOR, {
    ...defaults,
    format,
    content,
    fileName: path.basename(file),
  });
  if (checked.id === null) {
    for (const error of checked.errors) say(describe(file, error));
    const isStopped = checked.errorCount === IMPORT_ERRORS_COUNTED_MAX;
    say(`Mistakes: ${checked.errorCount}${isStopped ? ' or more' : ''}. Nothing was imported.`);
    return false;
  }
  if (isDryRun) {
    for (const row of checked.preview) say(previewText(row));
    say(`${countsText(checked)} A dry run: nothing was imported.`);
    return '';
  }
  const isDone = await change(ctx, { kind: 'IMPORT', request: { importId: checked.id } }, say);
  say(isDone ? `${countsText(checked)} Imported.` : REFUSED);
  return isDone && '';
}

const countsText = ({ newCount, changedCount, unchangedCount, waitingCount }: ChangeCounts) =>
  `${newCount} new, ${changedCount} changed, ${unchangedCount} unchanged${waitingCount === 0 ? '' : `, ${waitingCount} that wait for their address`}.`;

function previewText({ line, ip, exit, node, place, price, hasLink }: PreviewRow): string {
  const link = hasLink ? '; with a link that changes the address' : '';
  return `Line ${line}: ${ip ?? 'waits for its address'}; ${exit || 'own route'} at ${node}; ${place}; $${price}${link}`;
}

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

interface Bulk {
  filter: InventoryFilter;
  /** Undefined: counts only. */
  apply: number | undefined;
}
export type CatalogueCommand =
  | { name: 'import'; file: string; format: FileFormat; isDryRun: boolean; defaults: ImportDefaults }
  | { name: 'export'; format: FileFormat; filter: InventoryFilter }
  | ({ name: 'price'; change: PriceChange } & Bulk)
  | ({ name: 'retire' | 'restore' } & Bulk);

const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true } as const;
const filterOptions = { ip: text, country: texts, isp: texts, node: text, state: text };
const commandOptions = {
  import: {
    format: text,
    'dry-run': { type: 'boolean' },
    price: text,
    country: text,
    isp: text,
    type: text,
    node: text,
    kind: text,
    order: text,
  },
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
  if (name === 'import') return toImport(values, positionals);
  const { ip, country, isp, node, state, ...others } = values as Record<string, unknown>;
  const { format, ...bulk } = parse(valuesSchema, others);
  const wanted = { ip, country: toList(country)?.map(upper), isp: toList(isp), node, state };
  const filter = parse(inventoryFilterSchema, JSON.parse(JSON.stringify(wanted)));
  if (name === 'export') return { name, format: format ?? 'csv', filter };
  if (name !== 'price') return { name, filter, apply: bulk.apply };
  return { name, filter, apply: bulk.apply, change: toPriceChange(bulk) };
}

const { price, countryCode, isp, connectionType, node, exitKind, order } = importDefaultsSchema.shape;
/** What a file does not say, by option. */
const defaultsSchema = z.object({
  price,
  country: countryCode,
  isp,
  type: connectionType,
  node,
  kind: exitKind,
  order,
});

function toImport(values: Record<string, unknown>, files: readonly string[]): CatalogueCommand {
  const { 'dry-run': isDryRun = false, format, ...stated } = values;
  const { country, type, kind, ...others } = parse(defaultsSchema, stated);
  const defaults = { ...others, countryCode: country, connectionType: type, exitKind: kind };
  return {
    name: 'import',
    isDryRun: isDryRun === true,
    defaults,
    ...toFile(files, parse(valuesSchema, { format }).format),
  };
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
