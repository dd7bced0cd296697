/** Saves what a batch of reports changes. */
import assert from 'node:assert/strict';
import type { Ctx } from '../../ctx.ts';
import type { Meter, Run } from './charging.ts';
import type { RequestedEnd } from './ending.store.ts';

/** The idle window is divided into this many slots; at most two marks are kept per slot (api/sql/slide_idle_window.sql). */
const IDLE_SLOTS = 60;
/** A connection with less traffic than this within the idle time-out is idle. */
const IDLE_THRESHOLD_BYTES = 1024n;

export interface MeterChange {
  connectionId: string;
  payerAccountId: bigint;
  meter: Meter;
  /** Counters of the reporting run, which must have opened the connection. */
  run: Run;
  /** Megabytes to charge: `from` (inclusive) to `to` (exclusive), counted from 0; equal when there is nothing to charge. */
  charge: { from: bigint; to: bigint };
  /** Change of the hold on the payer's account: positive holds, negative releases money. */
  holdChangeMicros: bigint;
}

/**
 * One statement (api/sql/charge_reports.sql). The caller holds the locks of the payers' accounts, which guard their connections.
 * Most reports exceed the idle threshold and restart the idle time; smaller ones slide the idle window.
 * @throws a constraint violation (`customer_not_negative`, `transfers_megabyte`) if a balance less its holds would be negative,
 * or if a megabyte was already charged; charging never causes either
 */
export async function saveMeters(ctx: Ctx, runId: string, changes: readonly MeterChange[]): Promise<void> {
  const holds = new Map<bigint, bigint>();
  const payers = new Set<bigint>();
  for (const { payerAccountId, holdChangeMicros, charge } of changes) {
    if (holdChangeMicros !== 0n) holds.set(payerAccountId, (holds.get(payerAccountId) ?? 0n) + holdChangeMicros);
    if (holdChangeMicros !== 0n || charge.to > charge.from) payers.add(payerAccountId);
  }
  const [found] = await ctx.db.query<{ connections: number; runs: number; payers: number }>(
    `select connection_count as connections, run_count as runs, payer_count as payers
       from charge_reports($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      runId,
      IDLE_THRESHOLD_BYTES,
      ctx.config.idleTimeoutMs / IDLE_SLOTS,
      changes.map((change) => change.connectionId),
      changes.map((change) => change.meter.usedBytes),
      changes.map((change) => change.meter.uploadedBytes),
      changes.map((change) => change.meter.grantedBytes),
      changes.map((change) => change.charge.from),
      changes.map((change) => change.charge.to),
      changes.map((change) => change.run.usedBytes),
      changes.map((change) => change.run.uploadedBytes),
      changes.map((change) => change.run.grantedBytes),
      changes.map((change) => change.run.isOpen),
      [...holds.keys()],
      [...holds.values()],
    ],
  );
  const expected = { connections: changes.length, runs: changes.length, payers: payers.size };
  assert.deepEqual(found, expected, 'a report refers to rows that do not exist');
  for (const accountId of payers) ctx.changed({ accountId }, 'balance');
}

export interface WriteOff {
  connectionId: string;
  /** Bytes that the run reported too late to be charged, after this report. */
  runWrittenOffBytes: bigint;
  /** Change of the connection's total; negative if new money pays for some of them. */
  changeBytes: bigint;
}

/** Runs in the transaction of `saveMeters`. Separate from that statement, because it is rarely needed. */
export async function saveWriteOffs(ctx: Ctx, runId: string, writeOffs: readonly WriteOff[]): Promise<void> {
  await ctx.db.query(
    `with change as (
       select * from unnest($2::uuid[], $3::bigint[], $4::bigint[]) as change (id, run_written_off_bytes, change_bytes)
     ), run as (
       update connection_runs set written_off_bytes = run_written_off_bytes
         from change where connection_id = change.id and run_id = $1
     )
     update connections set written_off_bytes = written_off_bytes + change_bytes
       from change where connections.id = change.id and change_bytes <> 0`,
    [
      runId,
      writeOffs.map((writeOff) => writeOff.connectionId),
      writeOffs.map((writeOff) => writeOff.runWrittenOffBytes),
      writeOffs.map((writeOff) => writeOff.changeBytes),
    ],
  );
}

/** An open connection with the counters of one gateway run. */
export interface MeteredConnection {
  id: string;
  payerAccountId: bigint;
  escrowAccountId: bigint;
  priceMicros: bigint;
  usedBytes: bigint;
  uploadedBytes: bigint;
  grantedBytes: bigint;
  chargedMegabytes: bigint;
  endingReason: RequestedEnd | null;
  capMegabytes: bigint | null;
  accessRevision: number;
  /** Null if the run never opened the connection; then the other `run` fields are null too. */
  isRunOpen: boolean | null;
  runUsedBytes: bigint;
  runUploadedBytes: bigint;
  runGrantedBytes: bigint;
  runWrittenOffBytes: bigint;
  isRecalled: boolean | null;
  /** The run was closed because its process was silent for too long. */
  isRunLost: boolean | null;
}

/** Finds open connections. Call with the payers' accounts locked, which guard these rows. */
export function findMetered(ctx: Ctx, runId: string, ids: readonly string[]): Promise<MeteredConnection[]> {
  return ctx.db.query(
    `select id, payer_account_id as "payerAccountId", escrow_account_id as "escrowAccountId",
            price_micros as "priceMicros", connections.used_bytes as "usedBytes",
            connections.uploaded_bytes as "uploadedBytes", connections.granted_bytes as "grantedBytes",
            charged_megabytes as "chargedMegabytes", ending_reason as "endingReason", cap_megabytes as "capMegabytes",
            access_revision as "accessRevision", run.is_open as "isRunOpen", run.is_recalled as "isRecalled",
            run.is_lost as "isRunLost",
            run.used_bytes as "runUsedBytes", run.uploaded_bytes as "runUploadedBytes",
            run.granted_bytes as "runGrantedBytes", run.written_off_bytes as "runWrittenOffBytes"
       from connections left join connection_runs as run on run.connection_id = id and run.run_id = $2
      where id = any($1::uuid[]) and status = 'WORK' order by id`,
    [ids, runId],
  );
}

export async function findPayers(ctx: Ctx, ids: readonly string[]): Promise<bigint[]> {
  const rows = await ctx.db.query<{ accountId: bigint }>(
    'select distinct payer_account_id as "accountId" from connections where id = any($1::uuid[])',
    [ids],
  );
  return rows.map((row) => row.accountId);
}
