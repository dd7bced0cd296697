/**
 * Imports of proxies. An uploaded file is first checked and stored outside the catalogue; then a job applies all of it in one transaction.
 * Applying the same file again changes nothing.
 */
import { AppError } from '@cellhop/contract/errors';
import { IMPORT_ERRORS_COUNTED_MAX, IMPORT_ERRORS_MAX, IMPORT_PREVIEW_ROWS } from '@cellhop/contract/limits';
import { formatExit, type ParsedExit } from '@cellhop/contract/exits';
import type { ChangeCounts, CheckedImport, ImportError } from '@cellhop/contract/staff/inventory';
import type { ImportDefaults, PreviewRow } from '@cellhop/contract/staff/import-lines';
import type { FileColumn, FileFormat, ImportProblem } from '@cellhop/contract/staff/inventory.values';
import { toDollars } from '@cellhop/contract/units';
import { createHash } from 'node:crypto';
import { cleanUp } from '../../db/clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import { inSlices } from '../../process/time-slices.ts';
import { encryptCredentials, hashCredentials } from '../../secrets/exit-credentials.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { decode } from './import-encoding.ts';
import { type ImportRow, readRows, type RowDefaults, UNKNOWN, UNKNOWN_COUNTRY } from './import-rows.ts';
import * as store from './imports.store.ts';
import { completePlace, type FoundPlace, openPlaces, type PlaceOf } from './place-files.service.ts';
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
  const flush = async () => {
    const { rows, errors: exitErrors } = await stageExits(ctx, batch);
    for (const error of exitErrors) addError(error);
    if (errorCount === 0) for (const error of await storeRows(ctx, importId, rows, placeOf)) addError(error);
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

const errorOf = (
  { line }: { line: number },
  problem: ImportProblem,
  column: FileColumn = 'exit',
  value: string | null = null,
): ImportError => ({ line, column, problem, value });

/** What is stored and shown of the credentials is that there are some. */
function toPreview(row: ImportRow, nodes: ReadonlyMap<string, string>): PreviewRow {
  const { line, ip, priceMicros, hasLink, exitKind, exit } = row;
  return {
    line,
    ip,
    exit: formatExit(exitKind, exit.parameters, exit.credentials !== undefined),
    node: [...nodes].find(([, id]) => id === row.nodeId)?.[0] ?? '',
    place: [row.countryCode, row.region, row.city, row.zip, row.isp, row.connectionType].join(', '),
    price: toDollars(priceMicros),
    hasLink,
  };
}

/** A line without an address changes the proxy of its exit, or waits. */
async function storeRows(
  ctx: Ctx,
  importId: string,
  rows: readonly store.StagedRow[],
  placeOf: PlaceOf,
): Promise<ImportError[]> {
  const unknown = rows.filter(({ ip }) => ip === null);
  const proxies = unknown.length === 0 ? new Map() : await store.findProxiesOfExits(ctx, unknown);
  const shared = unknown.filter(({ line }) => (proxies.get(line)?.count ?? 0) > 1);
  if (shared.length > 0) return shared.map((row) => errorOf(row, 'SHARED_EXIT', 'ip'));
  const known = rows
    .map((row) => {
      const ip = row.ip ?? proxies.get(row.line)?.ip ?? null;
      return { ...row, ip, ...completePlace(row, placeOf(ip)) };
    })
    .filter(({ ip }) => ip !== null);
  const unplaced = known.filter(({ countryCode }) => countryCode === UNKNOWN_COUNTRY);
  if (unplaced.length > 0) return unplaced.map((row) => errorOf(row, 'NOT_A_COUNTRY', 'countryCode'));
  const unseen = unknown.filter(({ line }) => !proxies.has(line));
  if (unseen.length > 0) await store.insertWaitingRows(ctx, importId, unseen);
  const stored = known.length === 0 ? 0 : await store.insertRows(ctx, importId, known);
  return stored === known.length
    ? []
    : [errorOf(known.find(({ line }) => proxies.has(line)) ?? known[0]!, 'DUPLICATE_EXIT')];
}

function leadsToShop({ nodeId, exit: { parameters } }: ImportRow, isRefused: IsRefusedUpstream): boolean {
  const { host, port } = parameters;
  return typeof host === 'string' && typeof port === 'number' && isRefused(nodeId, host, port);
}

/** Encrypts credentials, and finds the exits whose credentials an exported line has hidden. */
async function stageExits(
  ctx: Ctx,
  batch: readonly ImportRow[],
): Promise<{ rows: store.StagedRow[]; errors: ImportError[] }> {
  const hidden = batch.filter(({ exit }) => exit.credentials === 'hidden');
  const kept = hidden.length === 0 ? new Map<string, string>() : await store.findKeptExits(ctx, hidden);
  const errors = hidden.filter(({ ip }) => !kept.has(ip ?? '')).map((row) => errorOf(row, 'HIDDEN_CREDENTIALS'));
  const rows: store.StagedRow[] = [];
  for await (const row of inSlices(batch))
    rows.push({ ...row, ...stageExit(ctx, row.exit), keptExitId: kept.get(row.ip ?? '') });
  return { rows, errors };
}

function stageExit(ctx: Ctx, { key, parameters, credentials }: ParsedExit): store.StagedCredentials {
  if (credentials === undefined || credentials === 'hidden') return { keys: [key], encrypted: null, hashes: null };
  const { secretKeys } = ctx.config;
  const hashes = hashCredentials(secretKeys, credentials);
  const encrypted = encryptCredentials(secretKeys, parameters, credentials);
  return { keys: hashes.map((hash) => `${key}#${hash.toString('hex')}`), encrypted, hashes };
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
  for (let afterIp: string | null = null; ;) {
    const batch: store.WrittenRows = await store.writeRows(ctx, id, afterIp, BATCH_ROWS);
    if (batch.lastIp === null) break;
    afterIp = batch.lastIp;
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
