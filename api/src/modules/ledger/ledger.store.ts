import type { Ctx } from '../../ctx.ts';
import type { AccountKind, Balance, Transfer } from './ledger.service.ts';

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
       insert into transfers
         (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason, megabyte_from, megabyte_to)
       select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[])
       on conflict (idempotency_key) do nothing
       returning idempotency_key, debit_account_id, credit_account_id, amount_micros
     ), deltas as (
       select account_id, sum(micros) as micros
         from (select debit_account_id as account_id, -amount_micros as micros from posted
               union all
               select credit_account_id, amount_micros from posted) as entry
        where account_id >= $8 group by account_id
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
      transfers.map((transfer) => transfer.megabytes?.from ?? null),
      transfers.map((transfer) => transfer.megabytes?.to ?? null),
      firstCustomer,
    ],
  );
  return rows.map((row) => row.key);
}

/** Adds to a balance; never writes one that was computed outside of the database. */
export async function addToBalance(ctx: Ctx, accountId: bigint, micros: bigint): Promise<void> {
  await ctx.db.query('update accounts set balance_micros = balance_micros + $2 where id = $1', [accountId, micros]);
}

export async function addToHolds(ctx: Ctx, deltas: ReadonlyMap<bigint, bigint>): Promise<void> {
  await ctx.db.query(
    `update accounts set held_micros = held_micros + delta.micros
       from unnest($1::bigint[], $2::bigint[]) as delta (id, micros) where accounts.id = delta.id`,
    [[...deltas.keys()], [...deltas.values()]],
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
