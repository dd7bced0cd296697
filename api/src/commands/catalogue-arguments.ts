import {
  inventoryFilterSchema,
  type InventoryFilter,
  type PriceChange,
  proxyPriceSchema,
} from '@cellhop/contract/staff/inventory';
import { type FileFormat, fileFormats, proxyStates } from '@cellhop/contract/staff/inventory.values';
import { PERCENT_MAX, PERCENT_MIN } from '@cellhop/contract/limits';
import { parseArgs } from 'node:util';
import { z } from 'zod';

export const USAGE = `Usage: npm run catalogue -- COMMAND

  import FILE [--dry-run] [--format=csv|json]   checks a file, and puts all of it into the catalogue, or nothing
  export [--format=csv|json] [FILTER]           writes the catalogue to the standard output, as CSV by default
  price --set=DOLLARS | --percent=N [FILTER]    changes prices (US dollars for 100 MB), for example --percent=-10
  retire [FILTER]                               takes proxies out of the catalogue; open connections go on
  restore [FILTER]                              returns retired proxies to the catalogue

FILTER: --ip=192.0.2 --country=DE,FR --isp=NAME --node=NAME --state=${proxyStates.join('|')}
price, retire and restore only count, unless --apply=COUNT names the number that they counted before.
The format of an imported file follows its name. Exit codes: 0 done, 1 refused, 2 wrong arguments.`;

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
