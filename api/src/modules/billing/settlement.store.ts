/**
 * Writes what a batch of reports settles, in one statement: it is what the shop does most often by far. A charge is the
 * megabytes in the connection's row, a transfer from its payer to its escrow account and the next entry of its receipt
 * (docs/receipts.md), all or nothing.
 */
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
 * The caller has locked the payers' accounts, and so their connections: nobody touches those without the payer's. The time
 * of a charge is the statement's, not the transaction's: that may have begun before another's that got the lock first.
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
    `with change as (
       select * from unnest($4::uuid[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[],
                            $10::bigint[], $11::bigint[], $12::bigint[], $13::boolean[])
                       as change (id, used_bytes, uploaded_bytes, granted_bytes, megabyte_from, megabyte_to,
                                  run_used_bytes, run_uploaded_bytes, run_granted_bytes, is_run_open)
     ), counted as (
       update connection_runs
          set used_bytes = run_used_bytes, uploaded_bytes = run_uploaded_bytes, granted_bytes = run_granted_bytes,
              is_open = is_run_open
         from change where connection_id = change.id and run_id = $1
       returning 1
     ), metered as (
       update connections
          set used_bytes = change.used_bytes, uploaded_bytes = change.uploaded_bytes,
              granted_bytes = change.granted_bytes, charged_megabytes = megabyte_to,
              synced_at = case when change.used_bytes > connections.used_bytes then now() else synced_at end,
              idle_marks = case when change.used_bytes - connections.used_bytes >= $2
                                then array[(now(), change.used_bytes)::traffic_mark]
                                when change.used_bytes > connections.used_bytes
                                then slide_idle_window(idle_marks, (now(), change.used_bytes)::traffic_mark, $2,
                                                       $3 * interval '1 millisecond')
                                else idle_marks end,
              escrow_micros = escrow_micros + (megabyte_to - megabyte_from) * (price_micros / 100),
              charge_count = charge_count + case when megabyte_to > megabyte_from then 1 else 0 end,
              charge_hash = case when megabyte_to > megabyte_from
                                 then charge_hash(charge_hash, connections.id, charge_count + 1,
                                                  (select charge_time(statement_timestamp())), 'MEGABYTE',
                                                  megabyte_from + 1, megabyte_to, change.uploaded_bytes,
                                                  change.used_bytes - change.uploaded_bytes, price_micros / 100,
                                                  (megabyte_to - megabyte_from) * (price_micros / 100))
                                 else charge_hash end
         from change where connections.id = change.id
       returning payer_account_id, escrow_account_id, megabyte_from, megabyte_to,
                 (megabyte_to - megabyte_from) * (price_micros / 100) as micros, change.uploaded_bytes,
                 change.used_bytes - change.uploaded_bytes as downloaded_bytes, charge_hash
     ), posted as (
       insert into transfers (debit_account_id, credit_account_id, amount_micros, reason, megabyte_from, megabyte_to,
                              uploaded_bytes, downloaded_bytes, charge_hash, created_at)
       select payer_account_id, escrow_account_id, micros, 'MEGABYTE', megabyte_from, megabyte_to,
              uploaded_bytes, downloaded_bytes, charge_hash, statement_timestamp()
         from metered where megabyte_to > megabyte_from
     ), paid as (
       update accounts set balance_micros = balance_micros - spent.micros, held_micros = held_micros + spent.held
         from (select account_id, sum(micros)::bigint as micros, sum(held)::bigint as held
                 from (select payer_account_id as account_id, micros, 0 as held from metered where micros > 0
                       union all
                       select account_id, 0, held from unnest($14::bigint[], $15::bigint[]) as hold (account_id, held)
                      ) as part
                group by account_id) as spent
        where accounts.id = spent.account_id
       returning 1
     )
     select (select count(*) from metered)::int as connections, (select count(*) from counted)::int as runs,
            (select count(*) from paid)::int as payers`,
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
