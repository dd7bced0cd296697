/**
 * Imports of proxies. An uploaded file is first checked and stored outside the catalogue; then a job applies all of it in one transaction.
 * Applying the same file again changes nothing.
 */
import { AppError } from '@cellhop/contract/errors';
import { IMPORT_ERRORS_COUNTED_MAX, IMPORT_ERRORS_MAX, IMPORT_PREVIEW_ROWS } from '@cellhop/contract/limits';
import { formatExit } from '@cellhop/contract/exits';
import type { ChangeCounts, CheckedImport, ImportError } from '@cellhop/contract/staff/inventory';
import type { ImportDefaults, PreviewRow } from '@cellhop/contract/staff/import-lines';
import type { FileFormat } from '@cellhop/contract/staff/inventory.values';
import { toDollars } from '@cellhop/contract/units';
import { createHash } from 'node:crypto';
import { cleanUp } from '../../db/clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import { inSlices } from '../../process/time-slices.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { decode } from './import-encoding.ts';
import { type ImportRow, readRows, type RowDefaults, UNKNOWN, UNKNOWN_COUNTRY } from './import-rows.ts';
import { type Claims, errorOf, stageRows, storeRows } from './import-staging.ts';
import * as store from './imports.store.ts';
import { completePlace, type FoundPlace, openPlaces } from './place-files.service.ts';
import type { Editor, OnProgress } from './inventory.service.ts';
import { type IsRefusedUpstream, readRefusedUpstreams } from './refused-upstreams.ts';
import * as waiting from './waiting.store.ts';

/** The limit of one statement; a file of the largest size needs some seconds. */
const TIME_LIMIT_MS = 120_000;
/** Rows per statement. */
const BATCH_ROWS = 2000;

export interface ImportFile extends ImportDefaults {
  format: FileFormat;
  fileName: string;
  content: Buffer;
}

/** Reads and checks a file, and keeps its rows for `applyImport`. The catalogue does not change. */
export function checkImport(ctx: Ctx, editor: Editor, file: ImportFile): Promise<CheckedImport> {
  const text = decode(file.content);
  if (typeof text !== 'string') return Promise.resolve(refused({ errors: [text], errorCount: 1, preview: [] }));
  return ctx.tx(
    async (ctx) => {
      const actorId = editor.actorId ?? null;
      const sha256 = createHash('sha256').update(file.content).digest();
      await store.forgetOthers(ctx, actorId);
      const id = await store.insertImport(ctx, { actorId, fileName: file.fileName, sha256 });
      const staged = await stage(ctx, id, file, text);
      if (staged.errorCount > 0) {
        await store.deleteImport(ctx, id);
        return refused(staged);
      }
      await store.analyzeRows(ctx);
      const { unchangedCount, ...changes } = await store.countChanges(ctx, id);
      const { waitingCount, sameCount } = await waiting.countChanges(ctx, id);
      const counts = { ...changes, unchangedCount: unchangedCount + sameCount, waitingCount };
      await store.saveCounts(ctx, id, counts);
      await recordImport(ctx, editor, 'CATALOGUE_FILE_CHECKED', { ...counts, fileName: file.fileName, sha256 });
      return { id, ...counts, ...staged };
    },
    { timeLimitMs: TIME_LIMIT_MS },
  );
}

type Staged = Pick<CheckedImport, 'errors' | 'errorCount' | 'preview'>;

function refused(staged: Staged): CheckedImport {
  return { id: null, newCount: 0, changedCount: 0, unchangedCount: 0, waitingCount: 0, ...staged };
}

/** Stores rows until the first error, and continues to read to find the others, up to the largest number. */
async function stage(ctx: Ctx, importId: string, { format, ...file }: ImportFile, text: string): Promise<Staged> {
  const nodes = await store.readNodes(ctx);
  const isRefused = await readRefusedUpstreams(ctx);
  const placeOf = await openPlaces(ctx);
  const errors: ImportError[] = [];
  const preview: PreviewRow[] = [];
  let errorCount = 0;
  let batch: ImportRow[] = [];
  const addError = (error: ImportError) => {
    if (errors.length < IMPORT_ERRORS_MAX) errors.push(error);
    errorCount = Math.min(errorCount + 1, IMPORT_ERRORS_COUNTED_MAX);
  };
  const claims: Claims = new Map();
  const flush = async () => {
    const { rows, errors: lineErrors } = await stageRows(ctx, batch, placeOf, claims);
    for (const error of lineErrors) addError(error);
    if (errorCount === 0) await storeRows(ctx, importId, rows);
    batch = [];
  };
  const defaults = { ...unknownPlace(ctx), ...toRowDefaults(file) };
  for await (const read of inSlices(readRows(format, text, nodes, defaults))) {
    if (read === null) continue;
    const item = 'problem' in read ? read : withPlace(ctx, read, placeOf(read.ip));
    if ('problem' in item) addError(item);
    else if (leadsToShop(item, isRefused)) addError(errorOf(item, 'REFUSED_UPSTREAM'));
    else {
      if (preview.length < IMPORT_PREVIEW_ROWS) preview.push(toPreview(item, nodes));
      if (batch.push(item) === BATCH_ROWS) await flush();
    }
    if (errorCount === IMPORT_ERRORS_COUNTED_MAX) break;
  }
  await flush();
  return { errors, errorCount, preview };
}

/** What files of places tell later is not asked. */
function unknownPlace({ config: { places } }: Ctx): RowDefaults {
  return {
    ...(places.countryFile !== undefined && { countryCode: UNKNOWN_COUNTRY }),
    ...(places.operatorFile !== undefined && { isp: UNKNOWN }),
  };
}

/** A line without an address waits for its place, too. */
function withPlace({ config: { places } }: Ctx, row: ImportRow, found: FoundPlace | null): ImportRow | ImportError {
  if (row.countryCode === UNKNOWN_COUNTRY && (row.ip === null ? places.countryFile : found?.countryCode) == null)
    return errorOf(row, 'NOT_A_COUNTRY', 'countryCode');
  return found === null ? row : { ...row, ...completePlace(row, found) };
}

function toRowDefaults({ price, ...defaults }: ImportDefaults): RowDefaults {
  return { ...defaults, ...(price !== undefined && { price: price.toFixed(4) }) };
}

/** What is stored and shown of the credentials is that there are some. */
function toPreview(row: ImportRow, nodes: ReadonlyMap<string, string>): PreviewRow {
  const { line, ip, priceMicros, rotation, exitKind, exit } = row;
  return {
    line,
    ip,
    exit: formatExit(exitKind, exit.parameters, exit.credentials !== undefined),
    node: [...nodes].find(([, id]) => id === row.nodeId)?.[0] ?? '',
    place: [row.countryCode, row.region, row.city, row.zip, row.isp, row.connectionType].join(', '),
    price: toDollars(priceMicros),
    hasLink: rotation?.link != null,
  };
}

function leadsToShop({ nodeId, exit: { parameters } }: ImportRow, isRefused: IsRefusedUpstream): boolean {
  const { host, port } = parameters;
  return typeof host === 'string' && typeof port === 'number' && isRefused(nodeId, host, port);
}

/**
 * What a checked file would change now.
 * @throws AppError NOT_FOUND, or CHANGED_ELSEWHERE if that is another number of proxies than when it was checked
 */
export async function checkOrder(
  ctx: Ctx,
  editor: Editor,
  id: string,
): Promise<{ rowCount: number; newCount: number }> {
  const found = await store.findImport(ctx, id, editor.actorId ?? null);
  if (!found) throw new AppError('NOT_FOUND', { thing: 'Import' });
  if (!found.isApplied) await requireSameCounts(ctx, id, found);
  const { newCount, changedCount, waitingCount } = found;
  return { rowCount: newCount + changedCount + waitingCount, newCount };
}

async function requireSameCounts(
  ctx: Ctx,
  id: string,
  seen: Pick<ChangeCounts, 'newCount' | 'changedCount'>,
): Promise<void> {
  const current = await store.countChanges(ctx, id);
  if (current.newCount !== seen.newCount || current.changedCount !== seen.changedCount)
    throw new AppError('CHANGED_ELSEWHERE');
}

/**
 * Applies a checked file; call it in a transaction, under the lock of the inventory. Sold proxies are changed too: open connections keep the
 * price and the exit of their purchase.
 * @throws AppError NOT_FOUND, or CHANGED_ELSEWHERE as above
 */
export async function applyImport(ctx: Ctx, editor: Editor, id: string, onProgress: OnProgress): Promise<void> {
  const found = await store.findImport(ctx, id, editor.actorId ?? null);
  if (!found) throw new AppError('NOT_FOUND', { thing: 'Import' });
  if (found.isApplied) return;
  await requireSameCounts(ctx, id, found);
  await store.addExits(ctx, id);
  let done = found.waitingCount;
  for (let afterId = '0'; ;) {
    const batch: store.WrittenRows = await store.writeRows(ctx, id, afterId, BATCH_ROWS);
    if (batch.lastId === null) break;
    afterId = batch.lastId;
    done += batch.written;
    await onProgress(done);
  }
  await store.markApplied(ctx, id);
  await recordImport(ctx, editor, 'CATALOGUE_IMPORTED', found);
}

function recordImport(
  ctx: Ctx,
  editor: Editor,
  action: 'CATALOGUE_FILE_CHECKED' | 'CATALOGUE_IMPORTED',
  { fileName, sha256, newCount, changedCount, unchangedCount, waitingCount }: Omit<store.StoredImport, 'isApplied'>,
): Promise<void> {
  return record(ctx, {
    action,
    ...editor,
    subject: { type: 'PROXY' },
    details: { fileName, sha256: sha256.toString('hex'), newCount, changedCount, unchangedCount, waitingCount },
  });
}

/** Unapplied files are deleted after a day. */
export async function deleteOldImports(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'rows of imports', store.deleteOldRows);
  await cleanUp(ctx, 'imports', store.deleteOldImports);
}
