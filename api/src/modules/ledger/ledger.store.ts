import type { Ctx } from '../../ctx.ts';
import type { AccountKind, Balance, Charge, Transfer } from './ledger.service.ts';

export async function insertAccount(ctx: Ctx, kind: AccountKind): Promise<bigint> {
  const [row] = await ctx.db.query<{ id: bigint }>('insert into accounts (kind) values ($1) returning id', [kind]);
  return row!.id;
}

export function findBalance(ctx: Ctx, accountId: bigint): Promise<Balance[]> {
  return ctx.db.query(
    `select id as "accountId", balance_micros as "balanceMicros", held_micros as "heldMicros"
       from accounts where id = $1`,
    [accountId],
  );
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
 * Inserts the transfers whose idempotency key is new and moves the balances of the accounts from `firstCustomer` on,
 * which the caller has locked.
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
       select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[])
       on conflict (idempotency_key) do nothing
       returning idempotency_key, debit_account_id, credit_account_id, amount_micros
     ), deltas as (
       select account_id, sum(micros) as micros
         from (select debit_account_id as account_id, -amount_micros as micros from posted
               union all
               select credit_account_id, amount_micros from posted) as entry
        where account_id >= $6 group by account_id
     ), moved as (
       update accounts set balance_micros = balance_micros + micros from deltas where id = account_id
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
 * Inserts charges as the next entries of their receipts, and moves balances and holds with them. The caller has locked
 * the payers' accounts, and so the escrow accounts: nobody touches those without the payer's.
 */
export async function insertCharges(
  ctx: Ctx,
  charges: readonly Charge[],
  holds: ReadonlyMap<bigint, bigint>,
): Promise<void> {
  await ctx.db.query(
    `with asked as (
       select *, (megabyte_to - megabyte_from) * megabyte_micros as micros, case kind when 'REFUND' then -1 else 1 end as sign
         from unnest($1::text[], $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
                     $8::bigint[], $9::bigint[])
                as asked (kind, connection_id, payer_id, escrow_id, megabyte_from, megabyte_to, megabyte_micros,
                          used_bytes, uploaded_bytes)
     ), charge as (
       select asked.*, charge_count + 1 as number,
              charge_hash(charge_hash, connection_id, charge_count + 1, now(), asked.kind, megabyte_from + 1, megabyte_to,
                          uploaded_bytes, used_bytes - uploaded_bytes, megabyte_micros, sign * micros) as hash
         from asked join accounts on accounts.id = escrow_id
     ), posted as (
       insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason, megabyte_from,
                              megabyte_to, uploaded_bytes, downloaded_bytes, charge_hash)
       select case when sign < 0 then 'connection:' || connection_id || ':refund' end,
              case when sign < 0 then escrow_id else payer_id end, case when sign < 0 then payer_id else escrow_id end,
              micros, kind, case when sign > 0 then megabyte_from end, case when sign > 0 then megabyte_to end,
              uploaded_bytes, used_bytes - uploaded_bytes, hash
         from charge
     ), chained as (
       update accounts set balance_micros = balance_micros + sign * micros, charge_count = number, charge_hash = hash
         from charge where accounts.id = escrow_id
     )
     update accounts set balance_micros = balance_micros + change.micros, held_micros = held_micros + change.held
       from (select account_id, sum(micros)::bigint as micros, sum(held)::bigint as held
               from (select payer_id as account_id, -sign * micros as micros, 0 as held from charge
                     union all
                     select account_id, 0, held from unnest($10::bigint[], $11::bigint[]) as hold (account_id, held)) as part
              group by account_id) as change
      where accounts.id = change.account_id`,
    [
      charges.map((charge) => charge.kind),
      charges.map((charge) => charge.connectionId),
      charges.map((charge) => charge.payerAccountId),
      charges.map((charge) => charge.escrowAccountId),
      charges.map((charge) => charge.megabytes.from),
      charges.map((charge) => charge.megabytes.to),
      charges.map((charge) => charge.megabytePriceMicros),
      charges.map((charge) => charge.usedBytes),
      charges.map((charge) => charge.uploadedBytes),
      [...holds.keys()],
      [...holds.values()],
    ],
  );
}

/** Each query finds rows that must not exist. */
export async function findBrokenInvariants(ctx: Ctx): Promise<string[]> {
  const rows = await ctx.db.query<{ broken: string }>(
    `select 'sum of all balances is ' || sum(balance_micros) as broken from accounts having sum(balance_micros) <> 0
     union all
     select 'account ' || accounts.id || ' has ' || balance_micros || ', its entries sum to ' || coalesce(entry_sum, 0)
       from accounts
       left join (select account_id, sum(amount_micros) as entry_sum from entries group by account_id) as sums
         on sums.account_id = accounts.id
      where balance_micros <> coalesce(entry_sum, 0)
     union all
     select 'account ' || id || ' is overdrawn' from accounts
      where kind in ('USER', 'ESCROW') and balance_micros - held_micros < 0`,
  );
  return rows.map((row) => row.broken);
}
