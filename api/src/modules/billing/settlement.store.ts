/** Writes what a batch of reports settles. */
import assert from 'node:assert/strict';
import type { Ctx } from '../../ctx.ts';
import type { Meter, Run } from './charging.ts';

/** Traffic below the threshold is remembered in at most twice as many marks as this for an idle time-out. */
const IDLE_SLOTS = 60;
/** Less than this in a whole idle time-out counts as no traffic. */
const IDLE_THRESHOLD_BYTES = 1024n;

export interface MeterChange {
  connectionId: string;
  payerAccountId: bigint;
  meter: Meter;
  /** The reporting run's part; the run must have the connection already. */
  run: Run;
  /** Megabytes to charge: `from` (included) to `to` (excluded), counted from 0; equal when there is nothing to charge. */
  charge: { from: bigint; to: bigint };
  /** Of the payer's money: positive holds, negative releases. */
  holdChangeMicros: bigint;
}

/**
 * In one statement (api/sql/settle_reports.sql). The caller has locked the payers' accounts, and so their connections.
 * Most reports carry more than the idle threshold and start the idle time anew; a trickle slides its window (migration 0015).
 * @throws a constraint of the database (`customer_not_negative`, `transfers_megabyte`) if a payer had less than zero then,
 * holds included, or a megabyte was charged before; settling never asks for that
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
       from settle_reports($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
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
  assert.deepEqual(found, expected, 'a settlement names what does not exist');
  for (const accountId of payers) ctx.changed({ accountId }, 'balance');
}

export interface WriteOff {
  connectionId: string;
  /** Of the run: what it reported late and is not charged for, after this report. */
  runWrittenOffBytes: bigint;
  /** To add to the connection's sum; negative when free money has come and pays for some of it. */
  changeBytes: bigint;
}

/** In the transaction of `saveMeters`; hardly ever needed, so it is not part of that statement. */
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
