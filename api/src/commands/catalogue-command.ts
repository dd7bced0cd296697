/** The catalogue on the command line: the imports, exports and bulk changes of the admin area. */
import { AppError } from '@cellhop/contract/errors';
import { IMPORT_BYTES_MAX } from '@cellhop/contract/limits';
import type { ChangeCounts, ImportError } from '@cellhop/contract/staff/inventory';
import type { ImportProblem } from '@cellhop/contract/staff/inventory.values';
import path from 'node:path';
import type { CatalogueCommand } from './catalogue-arguments.ts';
import type { Ctx } from '../ctx.ts';
import * as changes from '../modules/proxies/inventory-changes.service.ts';
import type { ChangeRequest } from '../modules/proxies/inventory-changes.service.ts';
import * as imports from '../modules/proxies/imports.service.ts';
import * as inventory from '../modules/proxies/inventory.service.ts';

export interface Terminal {
  readFile: (file: string) => Promise<Buffer>;
  /** Writes to the standard output. */
  write: (text: string) => Promise<void>;
  /** Writes a line for the operator. */
  say: (line: string) => void;
}

const REFUSED = 'Nothing was changed: the proxies are no longer the same.';
const OPERATOR: inventory.Editor = { actorId: undefined, requester: undefined };

/** @returns the exit code: 0 done, 1 refused */
export async function runCatalogueCommand(ctx: Ctx, command: CatalogueCommand, terminal: Terminal): Promise<number> {
  if (command.name === 'import') return importFile(ctx, command, terminal);
  if (command.name !== 'export') return changeAll(ctx, command, terminal);
  for await (const chunk of inventory.exportInventory(ctx, OPERATOR, command.filter, command.format))
    await terminal.write(chunk);
  return 0;
}

async function importFile(
  ctx: Ctx,
  { file, format, isDryRun }: Extract<CatalogueCommand, { name: 'import' }>,
  { readFile, say }: Terminal,
): Promise<number> {
  const content = await readFile(file);
  if (content.length > IMPORT_BYTES_MAX) {
    say(`${file} is larger than ${IMPORT_BYTES_MAX / 1_048_576} MB: divide it.`);
    return 1;
  }
  const checked = await imports.checkImport(ctx, OPERATOR, { format, content, fileName: path.basename(file) });
  if (checked.id === null) {
    for (const error of checked.errors) say(describe(file, error));
    say(`Mistakes: ${checked.errorCount}. Nothing was imported.`);
    return 1;
  }
  if (isDryRun) {
    say(`${countsText(checked)} A dry run: nothing was imported.`);
    return 0;
  }
  const isDone = await change(ctx, { kind: 'IMPORT', request: { importId: checked.id } }, say);
  say(isDone ? `${countsText(checked)} Imported.` : REFUSED);
  return isDone ? 0 : 1;
}

const countsText = ({ newCount, changedCount, unchangedCount }: ChangeCounts) =>
  `${newCount} new, ${changedCount} changed, ${unchangedCount} unchanged.`;

async function changeAll(
  ctx: Ctx,
  command: Exclude<CatalogueCommand, { name: 'import' | 'export' }>,
  { say }: Terminal,
): Promise<number> {
  const { filter, apply } = command;
  const { count, fingerprint, lowestPrice, highestPrice } = await inventory.readSelection(ctx, filter);
  say(count === 0 ? 'No proxy matches.' : `Proxies that match: ${count}, at $${lowestPrice} to $${highestPrice}.`);
  if (apply === undefined) {
    if (count > 0) say(`Nothing was changed. To change exactly these, add --apply=${count}.`);
    return 0;
  }
  if (count !== apply) {
    say(`Nothing was changed: these are not the ${apply} of --apply.`);
    return 1;
  }
  const seen = { filter, count, fingerprint };
  const order: ChangeRequest =
    command.name === 'price'
      ? { kind: 'PRICE', request: { ...seen, change: command.change } }
      : { kind: command.name === 'retire' ? 'RETIRE' : 'RESTORE', request: seen };
  const isDone = await change(ctx, order, say);
  say(isDone ? `Changed: ${count}.` : REFUSED);
  return isDone ? 0 : 1;
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

/** @returns undefined for an error that is not expected */
export function refusalText(error: unknown): string | undefined {
  if (!(error instanceof AppError)) return undefined;
  return error.details?.map(({ message }) => `The filter ${message}.`).join('\n') ?? `${error.message}.`;
}

function describe(file: string, { line, column, problem, value }: ImportError): string {
  const place = column === null ? `${file}:${line}` : `${file}:${line}: ${column}`;
  return `${place}: ${problemTexts[problem]}${value === null ? '' : ` (${JSON.stringify(value)})`}`;
}

const problemTexts: Record<ImportProblem, string> = {
  NOT_UTF8: 'is not UTF-8',
  EMPTY_FILE: 'is an empty file',
  NO_ROWS: 'has no data rows',
  TOO_MANY_ROWS: 'has too many rows',
  MISSING_COLUMN: 'is missing from the header',
  UNKNOWN_COLUMN: 'is an unknown column',
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
  INVALID_TEXT: 'contains control characters',
  LIKE_A_FORMULA: 'begins like a spreadsheet formula',
  NOT_AN_ADDRESS: 'is not an IP address',
  NOT_A_PRICE: 'is not a valid price: dollars for 100 MB, more than 0, with at most four decimals',
  NOT_A_COUNTRY: 'is not a valid country code: two capital letters',
  UNKNOWN_NODE: 'is not the name of a gateway node',
  UNKNOWN_EXIT_KIND: 'is not a kind of exit: local-address, socks5 or http',
  NOT_AN_UPSTREAM: 'is not a proxy of this kind, such as socks5://user:password@host:port',
  HIDDEN_CREDENTIALS: 'has masked credentials, but the proxy has no such exit to keep them from',
  DUPLICATE_IP: 'is a duplicate of line',
};
