/** Settles a batch of reports of one gateway run: a handful of statements, however many connections it has. */
import type { EndReason } from '@cellhop/contract/connections';
import type { CreditState } from '@cellhop/contract/gateway';
import { megabytePrice } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import { takeTurns } from '../../turns.ts';
import { closeRun, openRun, settle, writtenOffAfter, type Meter, type Run, type Settlement } from './charging.ts';
import { closeConnections } from './ending.service.ts';
import { findForEnd, saveEndings } from './ending.store.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { findMetered, findPayers, type MeteredConnection } from './metered.store.ts';
import { Recollections } from './recollection.ts';
import * as runs from './runs.store.ts';
import { saveMeters, saveWriteOffs, type MeterChange, type WriteOff } from './settlement.store.ts';

/**
 * A settlement is a few statements without a pause, so a handful of them keeps the database busy; with all gateways' at once
 * each would only take longer.
 */
const turns = takeTurns({ runningMax: 4, waitingMax: 1000 });

/** Some 20 MB when it is full. */
const recollections = new Recollections(100_000);

export interface UsageReport {
  connectionId: string;
  usedBytes: bigint;
  uploadedBytes: bigint;
  wantedBytes: bigint;
  isExitLost: boolean;
}

/** A report of nothing new: for opening and closing a run's part. */
export function reportNothing(connectionId: string, wantedBytes = 0n): UsageReport {
  return { connectionId, usedBytes: 0n, uploadedBytes: 0n, wantedBytes, isExitLost: false };
}

export interface CreditAnswer {
  connectionId: string;
  grantedBytes: bigint;
  state: CreditState;
  /** Why no more is granted, or why the connection has ended; undefined for one that is unknown. */
  reason: EndReason | 'RECALLED' | undefined;
  /** Of who may use the connection; undefined for one that has ended. */
  accessRevision: number | undefined;
}

/**
 * Takes a run's reports of the connections that it has open, one or none for each.
 * Most connections of a node are idle: those are answered from one read, without a lock. What the run has added to since it was
 * last settled here is certainly not.
 */
export async function takeReports(ctx: Ctx, runId: string, reports: readonly UsageReport[]): Promise<CreditAnswer[]> {
  const answers = new Map<string, CreditAnswer>();
  const quiet = reports.filter(({ connectionId, usedBytes, isExitLost }) => {
    const before = recollections.get(connectionId);
    return !isExitLost && !(before?.runId === runId && usedBytes > before.usedBytes);
  });
  if (quiet.length > 0)
    for (const unchanged of await runs.findUnchanged(ctx, runId, quiet))
      answers.set(unchanged.connectionId, { ...unchanged, state: 'open', reason: undefined });
  const busy = reports.filter((report) => !answers.has(report.connectionId));
  if (busy.length > 0)
    for (const settled of await turns.take(() => settleReports(ctx, runId, busy, 'report')))
      answers.set(settled.connectionId, settled);
  // Those without an answer are unknown, or have ended.
  const ended = reports
    .filter(({ connectionId }) => !answers.has(connectionId))
    .map(({ connectionId }) => connectionId);
  const reasons = ended.length > 0 ? await runs.findEndReasons(ctx, ended) : new Map<string, EndReason>();
  return reports.map(({ connectionId: id }) => answers.get(id) ?? endedAnswer(id, reasons.get(id)));
}

function endedAnswer(connectionId: string, reason: EndReason | undefined): CreditAnswer {
  return { connectionId, grantedBytes: 0n, state: 'ended', reason, accessRevision: undefined };
}

/**
 * - `report`: the run goes on.
 * - `open`: the run begins, or begins again after it had ended its part.
 * - `close`: the run has counted its last byte on these connections.
 */
export type SettlementKind = 'report' | 'open' | 'close';

/** What a settled connection's run has, and how it may go on. Connections that have ended have none. */
export interface Settled extends CreditAnswer {
  usedBytes: bigint;
  uploadedBytes: bigint;
}

export function settleReports(
  ctx: Ctx,
  runId: string,
  reports: readonly UsageReport[],
  kind: SettlementKind,
): Promise<Settled[]> {
  return ctx.tx(async (ctx) => {
    const reportOf = new Map(reports.map((report) => [report.connectionId, report]));
    const ids = [...reportOf.keys()];
    const balances = await ledger.lockBalances(ctx, await knownPayers(ctx, ids));
    const free = new Map<bigint, bigint>();
    for (const { accountId, balanceMicros, heldMicros } of balances.values())
      free.set(accountId, balanceMicros - heldMicros);
    if (kind === 'open') await runs.insertRuns(ctx, runId, ids);
    const settlements = (await findMetered(ctx, runId, ids))
      // What a run reports that never had the connection is nobody's.
      .filter((row) => row.isRunOpen !== null)
      .map((row) => settleOne(row, reportOf.get(row.id)!, kind, free));
    return save(ctx, runId, settlements, kind);
  });
}

/**
 * Opens a connection in a run. A node's older runs are dead once a newer one speaks: what they were granted and did not
 * report is free again.
 * @returns undefined if the connection has ended
 */
export function openInRun(ctx: Ctx, connectionId: string, runId: string): Promise<Settled | undefined> {
  return ctx.tx(async (ctx) => {
    for (const predecessor of await runs.findPredecessors(ctx, connectionId, runId))
      await settleReports(ctx, predecessor, [reportNothing(connectionId)], 'close');
    // One byte wanted brings whatever is paid for, or the next megabyte.
    const [settled] = await settleReports(ctx, runId, [reportNothing(connectionId, 1n)], 'open');
    return settled?.state === 'ended' ? undefined : settled;
  });
}

/** @returns the accounts of those who pay for these connections */
async function knownPayers(ctx: Ctx, ids: readonly string[]): Promise<bigint[]> {
  const payers = new Set<bigint>();
  for (const id of ids) {
    const before = recollections.get(id);
    if (!before) return findPayers(ctx, ids);
    payers.add(before.payerAccountId);
  }
  return [...payers];
}

interface SettlementOfOne extends MeterChange {
  row: MeteredConnection;
  /** Undefined if nothing changes about what is written off. */
  writeOff: WriteOff | undefined;
  state: CreditState;
  reason: CreditAnswer['reason'];
  isOutOfMoney: boolean;
  isAtCap: boolean;
  /** The end is to be asked for; it comes with the last report. */
  isExitLost: boolean;
}

/** @param free the payers' free money; what this connection takes of it is gone for the next */
function settleOne(
  row: MeteredConnection,
  report: UsageReport,
  kind: SettlementKind,
  free: Map<bigint, bigint>,
): SettlementOfOne {
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
  };
  const isExitLost = report.isExitLost && row.endingReason === null;
  const isRecalled = kind === 'report' && known.isOpen && row.isRecalled === true;
  const endReason = row.endingReason ?? (isExitLost ? 'EXIT_LOST' : isRecalled ? 'RECALLED' : undefined);
  const isEnding = isExitLost || row.endingReason !== null;
  const wantedBytes = kind === 'close' || endReason ? 0n : report.wantedBytes;
  const freeMicros = free.get(row.payerAccountId)!;
  const { usedBytes, uploadedBytes } = report;
  const run = kind === 'open' ? openRun(known) : known;
  const result = settle(meter, run, { usedBytes, uploadedBytes, wantedBytes }, freeMicros);
  const after = kind === 'close' ? closeRun(result.meter, result.run) : { ...result, holdChangeMicros: 0n };
  const chargedMicros = (result.charge.to - result.charge.from) * meter.megabytePriceMicros;
  const holdChangeMicros = result.holdChangeMicros + after.holdChangeMicros;
  free.set(row.payerAccountId, freeMicros - chargedMicros - holdChangeMicros);
  return {
    row,
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
  kind: SettlementKind,
  settled: Settlement,
): WriteOff | undefined {
  const before = { usedBytes: runUsedBytes, writtenOffBytes: runWrittenOffBytes };
  // A run that begins again counts on from its charged total: what was written off before stays so for good.
  const isForGood = kind === 'open';
  const runWrittenOff = isForGood ? 0n : writtenOffAfter(before, settled);
  if (runWrittenOff === runWrittenOffBytes) return undefined;
  const changeBytes = isForGood ? 0n : runWrittenOff - runWrittenOffBytes;
  return { connectionId: id, runWrittenOffBytes: runWrittenOff, changeBytes };
}

async function save(
  ctx: Ctx,
  runId: string,
  settlements: readonly SettlementOfOne[],
  kind: SettlementKind,
): Promise<Settled[]> {
  const changed = settlements.filter(isChanged);
  for (const { payerAccountId } of changed) ctx.changed({ accountId: payerAccountId }, 'connections');
  if (changed.length > 0) await saveMeters(ctx, runId, changed);
  const writeOffs = settlements.flatMap(({ writeOff }) => writeOff ?? []);
  if (writeOffs.length > 0) await saveWriteOffs(ctx, runId, writeOffs);
  const ended = await saveEnds(ctx, settlements, kind);
  for (const { row, payerAccountId, run } of settlements)
    recollections.set(row.id, { payerAccountId, runId, usedBytes: run.usedBytes });
  return settlements.map(({ row, run, state, reason }) => ({
    connectionId: row.id,
    usedBytes: run.usedBytes,
    uploadedBytes: run.uploadedBytes,
    grantedBytes: run.grantedBytes,
    state: ended.has(row.id) ? 'ended' : state,
    reason: ended.get(row.id) ?? reason,
    accessRevision: row.accessRevision,
  }));
}

/** A gateway that wants more than there is money for asks again and again; nothing is written then. */
function isChanged({ row, run }: SettlementOfOne): boolean {
  return run.usedBytes !== row.runUsedBytes || run.grantedBytes !== row.runGrantedBytes || run.isOpen !== row.isRunOpen;
}

/** Asks for ends that other runs have to report for, and closes what has come to its end. @returns why what is closed or closing ends */
async function saveEnds(
  ctx: Ctx,
  settlements: readonly SettlementOfOne[],
  kind: SettlementKind,
): Promise<ReadonlyMap<string, EndReason>> {
  const lost = settlements.filter(({ isExitLost }) => isExitLost).map(({ row }) => row.id);
  if (lost.length > 0) await saveEndings(ctx, lost, 'EXIT_LOST');
  // Where the cap was lowered, other runs may still use what they were granted before.
  const isShared = ({ meter }: SettlementOfOne) => meter.usedBytes < meter.grantedBytes;
  const atCap = settlements.filter(({ isAtCap }) => isAtCap);
  const endingAtCap = atCap.filter(isShared).map(({ row }) => row.id);
  if (endingAtCap.length > 0) await saveEndings(ctx, endingAtCap, 'CAP');

  // An end that was asked for comes when no run has the connection open any longer.
  const reported = kind === 'close' ? settlements.filter(({ row }) => row.endingReason !== null) : [];
  const moneyless = settlements.filter(({ isOutOfMoney, isAtCap }) => isOutOfMoney && !isAtCap);
  const usedUp = [...moneyless, ...atCap.filter((settlement) => !isShared(settlement))];
  const candidates = [...reported, ...usedUp].map(({ row }) => row.id);
  const ending = candidates.length === 0 ? [] : await findForEnd(ctx, candidates);
  const capped = new Set(atCap.map(({ row }) => row.id));
  const closed = ending
    .filter(({ endingReason, openRuns }) => endingReason === null || openRuns === 0)
    .map((connection) => {
      const reason: EndReason = connection.endingReason ?? (capped.has(connection.id) ? 'CAP' : 'NO_MONEY');
      return { connection, reason };
    });
  if (closed.length > 0) await closeConnections(ctx, closed);
  return new Map([
    ...endingAtCap.map((id) => [id, 'CAP'] as const),
    ...closed.map(({ connection, reason }) => [connection.id, reason] as const),
  ]);
}
