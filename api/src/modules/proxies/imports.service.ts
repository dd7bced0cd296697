/**
 * Imports of proxies. An uploaded file is first checked and stored outside the catalogue; then a job applies all of it in one transaction.
 * Applying the same file again changes nothing.
 */
import { AppError } from '@cellhop/contract/errors';
import { IMPORT_ERRORS_COUNTED_MAX, IMPORT_ERRORS_MAX } from '@cellhop/contract/limits';
import type { ParsedExit } from '@cellhop/contract/exits';
import type { ChangeCounts, CheckedImport, ImportError } from '@cellhop/contract/staff/inventory';
import type { FileFormat } from '@cellhop/contract/staff/inventory.values';
import { createHash } from 'node:crypto';
import { cleanUp } from '../../db/clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import { inSlices } from '../../process/time-slices.ts';
import { encryptCredentials, hashCredentials } from '../../secrets/exit-credentials.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { decode } from './import-encoding.ts';
import { type ImportRow, readRows } from './import-rows.ts';
import * as store from './imports.store.ts';
import type { Editor, OnProgress } from './inventory.service.ts';
import { type IsRefusedUpstream, readRefusedUpstreams } from './refused-upstreams.ts';

/** The limit of one statement; a file of the largest size needs some seconds. */
const TIME_LIMIT_MS = 120_000;
/** Rows per statement. */
const BATCH_ROWS = 2000;

export interface ImportFile {
  format: FileFormat;
  fileName: string;
  content: Buffer;
}

/** Reads and checks a file, and keeps its rows for `applyImport`. The catalogue does not change. */
export function checkImport(ctx: Ctx, editor: Editor, file: ImportFile): Promise<CheckedImport> {
  const text = decode(file.content);
  if (typeof text !== 'string') return Promise.resolve(refused([text], 1));
  return ctx.tx(
    async (ctx) => {
      const actorId = editor.actorId ?? null;
      const sha256 = createHash('sha256').update(file.content).digest();
      await store.forgetOthers(ctx, actorId);
      const id = await store.insertImport(ctx, { actorId, fileName: file.fileName, sha256 });
      const { errors, errorCount } = await stage(ctx, id, file.format, text);
      if (errorCount > 0) {
        await store.deleteImport(ctx, id);
        return refused(errors, errorCount);
      }
      await store.analyzeRows(ctx);
      const counts = await store.countChanges(ctx, id);
      await store.saveCounts(ctx, id, counts);
      await recordImport(ctx, editor, 'CATALOGUE_FILE_CHECKED', { ...counts, fileName: file.fileName, sha256 });
      return { id, ...counts, errors: [], errorCount: 0 };
    },
    { timeLimitMs: TIME_LIMIT_MS },
  );
}

function refused(errors: ImportError[], errorCount: number): CheckedImport {
  return { id: null, newCount: 0, changedCount: 0, unchangedCount: 0, errors, errorCount };
}

/** Stores rows until the first error, and continues to read to find the others, up to the largest number. */
async function stage(ctx: Ctx, importId: string, format: FileFormat, text: string) {
  await store.fillExits(ctx);
  const nodes = await store.readNodes(ctx);
  const isRefused = await readRefusedUpstreams(ctx);
  const errors: ImportError[] = [];
  let errorCount = 0;
  let batch: ImportRow[] = [];
  const addError = (error: ImportError) => {
    if (errors.length < IMPORT_ERRORS_MAX) errors.push(error);
    errorCount = Math.min(errorCount + 1, IMPORT_ERRORS_COUNTED_MAX);
  };
  const flush = async () => {
    const { rows, errors: exitErrors } = await stageExits(ctx, batch);
    for (const error of exitErrors) addError(error);
    if (errorCount === 0 && rows.length > 0) await store.insertRows(ctx, importId, rows);
    batch = [];
  };
  for await (const item of inSlices(readRows(format, text, nodes))) {
    if (item === null) continue;
    if ('problem' in item) addError(item);
    else if (leadsToShop(item, isRefused))
      addError({ line: item.line, column: 'exit', problem: 'REFUSED_UPSTREAM', value: null });
    else if (batch.push(item) === BATCH_ROWS) await flush();
    if (errorCount === IMPORT_ERRORS_COUNTED_MAX) break;
  }
  await flush();
  return { errors, errorCount };
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
  const errors = hidden
    .filter(({ ip }) => !kept.has(ip))
    .map(({ line }): ImportError => ({ line, column: 'exit', problem: 'HIDDEN_CREDENTIALS', value: null }));
  const rows: store.StagedRow[] = [];
  for await (const row of inSlices(batch))
    rows.push({ ...row, ...stageExit(ctx, row.exit), keptExitId: kept.get(row.ip) });
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
  return { rowCount: found.newCount + found.changedCount, newCount: found.newCount };
}

async function requireSameCounts(ctx: Ctx, id: string, seen: ChangeCounts): Promise<void> {
  await store.fillExits(ctx);
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
  let done = 0;
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
  { fileName, sha256, newCount, changedCount, unchangedCount }: Omit<store.StoredImport, 'isApplied'>,
): Promise<void> {
  return record(ctx, {
    action,
    ...editor,
    subject: { type: 'PROXY' },
    details: { fileName, sha256: sha256.toString('hex'), newCount, changedCount, unchangedCount },
  });
}

/** Unapplied files are deleted after a day. */
export async function deleteOldImports(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'rows of imports', store.deleteOldRows);
  await cleanUp(ctx, 'imports', store.deleteOldImports);
}
