/** Charges a batch of usage reports of one gateway run in a few statements, however many connections it has. */
import type { EndReason } from '@cellhop/contract/connections';
import type { CreditState } from '@cellhop/contract/gateway';
import { megabytePrice } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import { limitConcurrency } from '../../process/concurrency-limiter.ts';
import {
  closeRun,
  openRun,
  chargeReport,
  writtenOffAfter,
  type Meter,
  type Run,
  type ChargedReport,
} from './charging.ts';
import { closeConnections } from './ending.service.ts';
import { findForEnd, saveEndings } from './ending.store.ts';
import * as ledger from '../ledger/ledger.service.ts';
import {
  findPayers,
  type MeteredConnection,
  saveMeters,
  saveWriteOffs,
  type MeterChange,
  type WriteOff,
} from './usage-reports.store.ts';
import { usageReportCache } from './usage-report-cache.ts';
import { findCarried } from './carried-connections.ts';
import * as runs from './runs.store.ts';

/**
 * Charging a batch takes a few statements back to back, so a few batches at a time keep the database busy. Running those of all
 * gateways at once would only make each of them slower.
 */
const limiter = limitConcurrency({ runningMax: 4, waitingMax: 1000 });

export interface UsageReport {
  connectionId: string;
  usedBytes: bigint;
  uploadedBytes: bigint;
  wantedBytes: bigint;
  isExitLost: boolean;
}

/** A report without usage: opens or closes a run on a connection. */
export function emptyReport(connectionId: string, wantedBytes = 0n): UsageReport {
  return { connectionId, usedBytes: 0n, uploadedBytes: 0n, wantedBytes, isExitLost: false };
}

export interface ConnectionCredit {
  connectionId: string;
  grantedBytes: bigint;
  state: CreditState;
  /** Why there is no further grant, or why the connection has ended; undefined for an unknown connection. */
  reason: EndReason | 'RECALLED' | undefined;
  /** Undefined if the connection has ended. */
  accessRevision: number | undefined;
}

/**
 * Charges a run's reports, at most one for each of its open connections.
 * Most connections of a node are idle: their reports change nothing, which one query without a lock finds out. Reports above the
 * total of the last report skip that query.
 */
export async function processReports(
  ctx: Ctx,
  runId: string,
  reports: readonly UsageReport[],
): Promise<ConnectionCredit[]> {
  const credits = new Map<string, ConnectionCredit>();
  const maybeUnchanged = reports.filter(({ connectionId, usedBytes, isExitLost }) => {
    const last = usageReportCache.get(connectionId);
    return !isExitLost && !(last?.runId === runId && usedBytes > last.usedBytes);
  });
  if (maybeUnchanged.length > 0)
    for (const unchanged of await runs.findUnchanged(ctx, runId, maybeUnchanged))
      credits.set(unchanged.connectionId, { ...unchanged, state: 'open', reason: undefined });
  const changed = reports.filter((report) => !credits.has(report.connectionId));
  if (changed.length > 0)
    for (const credit of await limiter.run(() => chargeReports(ctx, runId, changed, 'report'), [runId]))
      credits.set(credit.connectionId, credit);
  // A connection without a credit is unknown or has ended.
  const ended = reports.map(({ connectionId }) => connectionId).filter((id) => !credits.has(id));
  const reasons = ended.length > 0 ? await runs.findEndReasons(ctx, ended) : new Map<string, EndReason>();
  return reports.map(({ connectionId: id }) => credits.get(id) ?? endedCredit(id, reasons.get(id)));
}

function endedCredit(connectionId: string, reason: EndReason | undefined): ConnectionCredit {
  return { connectionId, grantedBytes: 0n, state: 'ended', reason, accessRevision: undefined };
}

/**
 * - `report`: the run continues.
 * - `open`: the run opens the connections, or reopens them.
 * - `close`: the final report of the run on these connections.
 */
export type ReportKind = 'report' | 'open' | 'close';

/** The counters and the credit of a run after its report. There is none for connections that had already ended. */
export interface RunCredit extends ConnectionCredit {
  usedBytes: bigint;
  uploadedBytes: bigint;
}

export function chargeReports(
  ctx: Ctx,
  runId: string,
  reports: readonly UsageReport[],
  kind: ReportKind,
): Promise<RunCredit[]> {
  return ctx.tx(async (ctx) => {
    const reportById = new Map(reports.map((report) => [report.connectionId, report]));
    const ids = [...reportById.keys()];
    const balances = await ledger.lockBalances(ctx, await findPayersCached(ctx, ids));
    const freeMicrosByPayer = new Map<bigint, bigint>();
    for (const { accountId, balanceMicros, heldMicros } of balances.values())
      freeMicrosByPayer.set(accountId, balanceMicros - heldMicros);
    if (kind === 'open') await runs.insertRuns(ctx, runId, ids);
    const charged: ConnectionCharge[] = [];
    const { rows, adopted } = await findCarried(ctx, runId, ids, kind);
    for (const row of rows) {
      // Not a connection of this node.
      if (row.isRunOpen === null) continue;
      const freeMicros = freeMicrosByPayer.get(row.payerAccountId)!;
      const charge = chargeConnection(row, reportById.get(row.id)!, adopted.has(row.id) ? 'open' : kind, freeMicros);
      freeMicrosByPayer.set(row.payerAccountId, freeMicros - charge.takenMicros);
      charged.push(charge);
    }
    return save(ctx, runId, charged, kind);
  });
}

/** The payer of a connection never changes, so it may come from the cache. */
async function findPayersCached(ctx: Ctx, ids: readonly string[]): Promise<bigint[]> {
  const payers = new Set<bigint>();
  for (const id of ids) {
    const last = usageReportCache.get(id);
    if (!last) return findPayers(ctx, ids);
    payers.add(last.payerAccountId);
  }
  return [...payers];
}

interface ConnectionCharge extends MeterChange {
  row: MeteredConnection;
  /** What this connection takes of the payer's free balance. */
  takenMicros: bigint;
  /** Undefined if the written-off bytes do not change. */
  writeOff: WriteOff | undefined;
  state: CreditState;
  reason: ConnectionCredit['reason'];
  isOutOfMoney: boolean;
  isAtCap: boolean;
  /** Requests the end; the last report completes it. */
  isExitLost: boolean;
}

function chargeConnection(
  row: MeteredConnection,
  report: UsageReport,
  kind: ReportKind,
  freeMicros: bigint,
): ConnectionCharge {
  const meter: Meter = {
    usedBytes: row.usedBytes,
    uploadedBytes: row.uploadedBytes,
    grantedBytes: row.grantedBytes,
    chargedMegabytes: row.chargedMegabytes,
    megabytePriceMicros: megabytePrice(row.priceMicros),
    capMegabytes: row.capMegabytes,
  };
  const known: Run = {
    usedBytes: row.runUsedBytes,
    uploadedBytes: row.runUploadedBytes,
    grantedBytes: row.runGrantedBytes,
    isOpen: row.isRunOpen!,
    isLost: kind === 'report' && row.isRunLost === true && row.endingReason === null && row.isRecalled === false,
  };
  const isExitLost = report.isExitLost && row.endingReason === null;
  const isRecalled = kind === 'report' && known.isOpen && row.isRecalled === true;
  const endReason = row.endingReason ?? (isExitLost ? 'EXIT_LOST' : isRecalled ? 'RECALLED' : undefined);
  const isEnding = isExitLost || row.endingReason !== null;
  const wantedBytes = kind === 'close' || endReason ? 0n : report.wantedBytes;
  const run = kind === 'open' ? openRun(known) : known;
  const result = chargeReport(meter, run, { ...report, wantedBytes }, freeMicros);
  const after = kind === 'close' ? closeRun(result.meter, result.run) : { ...result, holdChangeMicros: 0n };
  const chargedMicros = (result.charge.to - result.charge.from) * meter.megabytePriceMicros;
  const holdChangeMicros = result.holdChangeMicros + after.holdChangeMicros;
  return {
    row,
    takenMicros: chargedMicros + holdChangeMicros,
    connectionId: row.id,
    payerAccountId: row.payerAccountId,
    meter: after.meter,
    run: after.run,
    charge: result.charge,
    holdChangeMicros,
    writeOff: toWriteOff(row, kind, result),
    state: endReason ? 'ended' : result.state,
    reason: endReason ?? result.finalReason,
    isOutOfMoney: result.isOutOfMoney && !isEnding,
    isAtCap: result.isAtCap && !isEnding,
    isExitLost,
  };
}

function toWriteOff(
  { id, runUsedBytes, runWrittenOffBytes }: MeteredConnection,
  kind: ReportKind,
  charged: ChargedReport,
): WriteOff | undefined {
  const before = { usedBytes: runUsedBytes, writtenOffBytes: runWrittenOffBytes };
  // A reopened run counts on from its charged total, so earlier write-offs become final.
  const isFinal = kind === 'open';
  const runWrittenOff = isFinal ? 0n : writtenOffAfter(before, charged);
  if (runWrittenOff === runWrittenOffBytes) return undefined;
  const changeBytes = isFinal ? 0n : runWrittenOff - runWrittenOffBytes;
  return { connectionId: id, runWrittenOffBytes: runWrittenOff, changeBytes };
}

async function save(
  ctx: Ctx,
  runId: string,
  charges: readonly ConnectionCharge[],
  kind: ReportKind,
): Promise<RunCredit[]> {
  const changed = charges.filter(isChanged);
  for (const { payerAccountId } of changed) ctx.changed({ accountId: payerAccountId }, 'connections');
  if (changed.length > 0) await saveMeters(ctx, runId, changed);
  const writeOffs = charges.flatMap(({ writeOff }) => writeOff ?? []);
  if (writeOffs.length > 0) await saveWriteOffs(ctx, runId, writeOffs);
  const found = charges.filter(({ row, run }) => row.isRunLost && (run.isOpen || kind === 'close'));
  if (found.length > 0)
    await runs.markFound(
      ctx,
      runId,
      found.map(({ row }) => row.id),
    );
  const ended = await saveEnds(ctx, charges, kind);
  for (const { row, payerAccountId, run } of charges)
    usageReportCache.set(row.id, { payerAccountId, runId, usedBytes: run.usedBytes });
  return charges.map(({ row, run, state, reason }) => ({
    connectionId: row.id,
    usedBytes: run.usedBytes,
    uploadedBytes: run.uploadedBytes,
    grantedBytes: run.grantedBytes,
    state: ended.has(row.id) ? 'ended' : state,
    reason: ended.get(row.id) ?? reason,
    accessRevision: row.accessRevision,
  }));
}

/** A gateway repeats requests that the balance does not cover; these must not cause writes. */
function isChanged({ row, run }: ConnectionCharge): boolean {
  return run.usedBytes !== row.runUsedBytes || run.grantedBytes !== row.runGrantedBytes || run.isOpen !== row.isRunOpen;
}

/**
 * Requests the end of connections that other runs still have to report for, and closes those that can end now.
 * @returns the end reasons of both
 */
async function saveEnds(
  ctx: Ctx,
  charges: readonly ConnectionCharge[],
  kind: ReportKind,
): Promise<ReadonlyMap<string, EndReason>> {
  const lost = charges.filter(({ isExitLost }) => isExitLost).map(({ row }) => row.id);
  if (lost.length > 0) await saveEndings(ctx, lost, 'EXIT_LOST');
  // After the cap was lowered, other runs may still use what they were granted before.
  const hasOtherGrants = ({ meter }: ConnectionCharge) => meter.usedBytes < meter.grantedBytes;
  const atCap = charges.filter(({ isAtCap }) => isAtCap);
  const endingAtCap = atCap.filter(hasOtherGrants).map(({ row }) => row.id);
  if (endingAtCap.length > 0) await saveEndings(ctx, endingAtCap, 'CAP');

  // A requested end completes when no run has the connection open any more.
  const requested = kind === 'close' ? charges.filter(({ row }) => row.endingReason !== null) : [];
  const outOfMoney = charges.filter(({ isOutOfMoney, isAtCap }) => isOutOfMoney && !isAtCap);
  const usedUp = [...outOfMoney, ...atCap.filter((charge) => !hasOtherGrants(charge))];
  const candidates = [...requested, ...usedUp].map(({ row }) => row.id);
  const ending = candidates.length === 0 ? [] : await findForEnd(ctx, candidates);
  const atCapIds = new Set(atCap.map(({ row }) => row.id));
  const closed = ending
    .filter(({ endingReason, openRuns }) => endingReason === null || openRuns === 0)
    .map((connection) => {
      const reason: EndReason = connection.endingReason ?? (atCapIds.has(connection.id) ? 'CAP' : 'NO_MONEY');
      return { connection, reason };
    });
  if (closed.length > 0) await closeConnections(ctx, closed);
  return new Map([
    ...endingAtCap.map((id) => [id, 'CAP'] as const),
    ...closed.map(({ connection, reason }) => [connection.id, reason] as const),
  ]);
}
