/** Settles a batch of reports of one gateway run: a handful of statements, however many connections it has. */
import type { CreditState } from '@cellhop/contract/gateway';
import { megabytePrice } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import { closeRun, openRun, settle, type Meter, type Run } from './charging.ts';
import { close, type FinalMoney } from './ending.ts';
import * as ledger from '../ledger/ledger.service.ts';
import * as connections from './connections.store.ts';
import * as runs from './runs.store.ts';

/** Less than this in a whole idle time-out counts as no traffic. */
const IDLE_THRESHOLD_BYTES = 1024n;

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
  usedBytes: bigint;
  uploadedBytes: bigint;
  grantedBytes: bigint;
  state: CreditState;
}

/**
 * Takes a run's reports of the connections that it has open, one or none for each.
 * Most connections of a node are idle: those are answered from one read, without a lock.
 */
export async function takeReports(ctx: Ctx, runId: string, reports: readonly UsageReport[]): Promise<CreditAnswer[]> {
  const ids = reports.map((report) => report.connectionId);
  const known = new Map((await runs.readRuns(ctx, runId, ids)).map((run) => [run.connectionId, run]));
  const idle = reports.filter((report) => changesNothing(report, known.get(report.connectionId)));
  const idleIds = new Set(idle.map((report) => report.connectionId));
  const busy = reports.filter((report) => !idleIds.has(report.connectionId));
  const settled = busy.length === 0 ? [] : await settleReports(ctx, runId, busy, 'report');
  const settledIds = new Set(settled.map((answer) => answer.connectionId));
  const unknown = busy.filter((report) => !settledIds.has(report.connectionId));
  return [
    ...idle.map(({ connectionId }) => ({ ...known.get(connectionId)!, state: 'open' as const })),
    ...settled,
    ...unknown.map(({ connectionId }) => ({ connectionId, ...NOTHING, state: 'ended' as const })),
  ];
}

const NOTHING = { usedBytes: 0n, uploadedBytes: 0n, grantedBytes: 0n };

function changesNothing(report: UsageReport, run: runs.RunState | undefined): boolean {
  const { usedBytes, wantedBytes, isExitLost } = report;
  const isCovered = !!run && usedBytes <= run.usedBytes && usedBytes + wantedBytes <= run.grantedBytes;
  return isCovered && run.isOpen && !run.isEnding && !isExitLost;
}

/**
 * - `report`: the run goes on.
 * - `open`: the run begins, or begins again after it had ended its part.
 * - `close`: the run has counted its last byte on these connections.
 */
export type SettlementKind = 'report' | 'open' | 'close';

export function settleReports(
  ctx: Ctx,
  runId: string,
  reports: readonly UsageReport[],
  kind: SettlementKind,
): Promise<CreditAnswer[]> {
  return ctx.tx(async (ctx) => {
    const ids = reports.map((report) => report.connectionId);
    const balances = await ledger.lockBalances(ctx, await connections.findPayers(ctx, ids));
    const free = new Map([...balances].map(([id, balance]) => [id, balance.balanceMicros - balance.heldMicros]));
    const rows = await connections.findForSettlement(ctx, ids);
    const known = new Map((await runs.readRuns(ctx, runId, ids)).map((run) => [run.connectionId, run]));
    const reportOf = new Map(reports.map((report) => [report.connectionId, report]));
    const settled = rows.map((row) => settleOne(row, known.get(row.id), reportOf.get(row.id)!, kind, free));
    return save(ctx, runId, settled);
  });
}

interface Settled {
  row: connections.OpenConnection;
  meter: Meter;
  run: Run | undefined;
  transfers: ledger.Transfer[];
  holdChangeMicros: bigint;
  writtenOffBytes: bigint;
  state: CreditState;
  /** The end is to be asked for; it comes with the last report. */
  isExitLost: boolean;
  endsWith: 'NO_MONEY' | connections.OpenConnection['endingReason'];
}

/** @param free the payers' free money; what this connection takes of it is gone for the next */
function settleOne(
  row: connections.OpenConnection,
  known: Run | undefined,
  report: UsageReport,
  kind: SettlementKind,
  free: Map<bigint, bigint>,
): Settled {
  const meter: Meter = { ...row, megabytePriceMicros: megabytePrice(row.priceMicros) };
  const unchanged = {
    row,
    meter,
    transfers: [],
    holdChangeMicros: 0n,
    writtenOffBytes: 0n,
    isExitLost: false,
    endsWith: null,
  };
  const run = kind === 'open' && row.status === 'WORK' ? openRun(known) : known;
  // The bill has been made, or the run never had the connection: there is nothing to count.
  if (!run || row.status !== 'WORK') return { ...unchanged, run: undefined, state: 'ended' };

  const isExitLost = report.isExitLost && row.endingReason === null;
  const isEnding = isExitLost || row.endingReason !== null;
  const mayGrant = kind !== 'close' && !isEnding;
  const freeMicros = free.get(row.payerAccountId)!;
  const result = settle(meter, run, { ...report, wantedBytes: mayGrant ? report.wantedBytes : 0n }, freeMicros);
  const after = kind === 'close' ? closeRun(result.meter, result.run) : { ...result, holdChangeMicros: 0n };
  const chargedMicros = (result.charge.to - result.charge.from) * meter.megabytePriceMicros;
  const holdChangeMicros = result.holdChangeMicros + after.holdChangeMicros;
  free.set(row.payerAccountId, freeMicros - chargedMicros - holdChangeMicros);
  return {
    row,
    meter: after.meter,
    run: after.run,
    transfers: chargedMicros > 0n ? [megabytes(row, result.charge, chargedMicros)] : [],
    holdChangeMicros,
    writtenOffBytes: result.writtenOffBytes,
    state: isEnding ? 'ended' : result.state,
    isExitLost,
    endsWith: isExitLost
      ? null
      : endOf(row, kind === 'close' && row.openRuns === (run.isOpen ? 1 : 0), result.isOutOfMoney),
  };
}

/** @param isLastReport no run has the connection open after this */
function endOf(row: connections.OpenConnection, isLastReport: boolean, isOutOfMoney: boolean): Settled['endsWith'] {
  if (row.endingReason !== null) return isLastReport ? row.endingReason : null;
  return isOutOfMoney ? 'NO_MONEY' : null;
}

function megabytes(
  row: connections.OpenConnection,
  range: { from: bigint; to: bigint },
  amountMicros: bigint,
): ledger.Transfer {
  return {
    idempotencyKey: `connection:${row.id}:mb:${range.from + 1n}`,
    debitAccountId: row.payerAccountId,
    creditAccountId: row.escrowAccountId,
    amountMicros,
    reason: 'MEGABYTE',
    megabytes: range,
  };
}

async function save(ctx: Ctx, runId: string, all: readonly Settled[]): Promise<CreditAnswer[]> {
  const changed = all.filter((settled) => settled.run !== undefined);
  if (changed.length > 0) {
    await connections.saveMeters(
      ctx,
      changed.map(({ row, meter, writtenOffBytes }) => ({ ...meter, id: row.id, writtenOffBytes })),
      IDLE_THRESHOLD_BYTES,
    );
    await runs.saveRuns(
      ctx,
      runId,
      changed.map(({ row, run }) => ({ ...run!, connectionId: row.id })),
    );
  }
  const lost = changed.filter((settled) => settled.isExitLost).map(({ row }) => row.id);
  if (lost.length > 0) await connections.saveEndings(ctx, lost, 'EXIT_LOST');
  const ends: FinalMoney[] = [];
  for (const { row, meter, endsWith } of changed)
    if (endsWith !== null) ends.push(await close(ctx, { ...row, ...meter }, endsWith));

  const holds = new Map<bigint, bigint>();
  for (const { payer, micros } of [
    ...changed.map(({ row, holdChangeMicros }) => ({ payer: row.payerAccountId, micros: holdChangeMicros })),
    ...ends.map((end) => ({ payer: end.payerAccountId, micros: end.holdChangeMicros })),
  ])
    holds.set(payer, (holds.get(payer) ?? 0n) + micros);
  await ledger.changeHolds(ctx, holds);
  await ledger.postLocked(
    ctx,
    [...changed, ...ends].flatMap((change) => change.transfers),
  );

  return all.map(({ row, run, state, endsWith }) => ({
    connectionId: row.id,
    ...(run ?? NOTHING),
    state: endsWith === null ? state : 'ended',
  }));
}
