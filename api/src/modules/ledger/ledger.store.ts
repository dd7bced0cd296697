import type { Ctx } from '../../ctx.ts';
import type { Balance, Refund, Transfer } from './ledger.service.ts';

export async function insertAccount(ctx: Ctx): Promise<bigint> {
  const [row] = await ctx.db.query<{ id: bigint }>("insert into accounts (kind) values ('USER') returning id");
  return row!.id;
}

export function findBalance(ctx: Ctx, accountId: bigint): Promise<Balance[]> {
  return ctx.db.query(
    `select id as "accountId", balance_micros as "balanceMicros", held_micros as "heldMicros"
       from accounts where id = $1`,
    [accountId],
  );
}

export async function sumCredits(ctx: Ctx, accountId: bigint, reason: Transfer['reason']): Promise<bigint> {
  const [row] = await ctx.db.query<{ micros: bigint }>(
    `select coalesce(sum(amount_micros), 0)::bigint as micros from transfers
      where credit_account_id = $1 and reason = $2`,
    [accountId, reason],
  );
  return row!.micros;
}

/** Locks in the order of ids, the order that everybody keeps: two batches wait for each other, but never in a circle. */
export function lockAccounts(ctx: Ctx, accountIds: readonly bigint[]): Promise<Balance[]> {
  return ctx.db.query(
    `select id as "accountId", balance_micros as "balanceMicros", held_micros as "heldMicros"
       from accounts where id = any($1::bigint[]) order by id for no key update`,
    [accountIds],
  );
}

/**
 * Inserts the transfers whose idempotency key is new and moves the balances of the accounts from `firstCustomer` on, which
 * the caller has locked, and of the escrow accounts, which live in their connections.
 * @returns the new idempotency keys
 */
export async function insertTransfers(
  ctx: Ctx,
  transfers: readonly Transfer[],
  firstCustomer: bigint,
): Promise<string[]> {
  const rows = await ctx.db.query<{ key: string }>(
    `with posted as (
       insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason)
       select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::transfer_reason[])
       on conflict (idempotency_key) where idempotency_key is not null do nothing
       returning idempotency_key, debit_account_id, credit_account_id, amount_micros
     ), deltas as (
       select account_id, sum(micros)::bigint as micros
         from (select debit_account_id as account_id, -amount_micros as micros from posted
               union all
               select credit_account_id, amount_micros from posted) as entry
        where account_id >= $6 group by account_id
     ), moved as (
       update accounts set balance_micros = balance_micros + micros from deltas where id = account_id
     ), settled as (
       update connections set escrow_micros = escrow_micros + micros from deltas where escrow_account_id = account_id
     )
     select idempotency_key as key from posted`,
    [
      transfers.map((transfer) => transfer.idempotencyKey),
      transfers.map((transfer) => transfer.debitAccountId),
      transfers.map((transfer) => transfer.creditAccountId),
      transfers.map((transfer) => transfer.amountMicros),
      transfers.map((transfer) => transfer.reason),
      firstCustomer,
    ],
  );
  return rows.map((row) => row.key);
}

/** Adds to a balance; never writes one that was computed outside of the database. */
export async function addToBalance(ctx: Ctx, accountId: bigint, micros: bigint): Promise<void> {
  await ctx.db.query('update accounts set balance_micros = balance_micros + $2 where id = $1', [accountId, micros]);
}

/**
 * Moves what a connection has paid too much from its escrow account back to its payer, as the next entry of its receipt.
 * The caller has locked the payer's account, and so the connection. The time is the statement's, not the transaction's:
 * that may have begun before another's that got the lock first.
 */
export async function insertRefund(ctx: Ctx, refund: Refund): Promise<number> {
  const rows = await ctx.db.query(
    `with refunded as (
       update connections
          set escrow_micros = escrow_micros - refund.micros, charge_count = charge_count + 1,
              charge_hash = charge_hash(charge_hash, id, charge_count + 1, charge_time(statement_timestamp()), 'REFUND',
                                        $2::bigint + 1, $3::bigint, uploaded_bytes, used_bytes - uploaded_bytes,
                                        price_micros / 100, -refund.micros)
         from (select id as refunded_id, ($3::bigint - $2::bigint) * (price_micros / 100) as micros
                 from connections where id = $1) as refund
        where id = refunded_id
       returning id, payer_account_id, escrow_account_id, refund.micros, uploaded_bytes,
                 used_bytes - uploaded_bytes as downloaded_bytes, charge_hash
     ), posted as (
       -- What goes back has no range of its own: its megabytes are the last of those that were charged.
       insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason,
                              uploaded_bytes, downloaded_bytes, charge_hash, created_at)
       select 'connection:' || id || ':refund', escrow_account_id, payer_account_id, micros, 'REFUND',
              uploaded_bytes, downloaded_bytes, charge_hash, statement_timestamp()
         from refunded
     )
     update accounts set balance_micros = balance_micros + micros from refunded where accounts.id = payer_account_id
     returning accounts.id`,
    [refund.connectionId, refund.megabytes.from, refund.megabytes.to],
  );
  return rows.length;
}

/** Adds to what is held of a balance; negative releases. */
export async function addToHold(ctx: Ctx, accountId: bigint, micros: bigint): Promise<number> {
  const rows = await ctx.db.query('update accounts set held_micros = held_micros + $2 where id = $1 returning id', [
    accountId,
    micros,
  ]);
  return rows.length;
}
