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
 * the payers' accounts, and so the escrow accounts: nobody touches those without the payer's. The time is the
 * statement's, not the transaction's: that may have begun before another's that got the lock first.
 * @returns how many escrow accounts and payers' accounts there were
 */
export async function insertCharges(
  ctx: Ctx,
  charges: readonly Charge[],
  holds: ReadonlyMap<bigint, bigint>,
): Promise<{ escrows: number; payers: number }> {
  const [row] = await ctx.db.query<{ escrows: number; payers: number }>(
    `with charge as (
       select asked.*, case when is_refund then -micros else micros end as cost_micros, charge_count + 1 as number,
              charge_hash(charge_hash, connection_id, charge_count + 1, (select charge_time(statement_timestamp())),
                          case when is_refund then 'REFUND' else 'MEGABYTE' end, megabyte_from + 1, megabyte_to,
                          uploaded_bytes, downloaded_bytes, megabyte_micros,
                          case when is_refund then -micros else micros end) as hash
         from (select *, (megabyte_to - megabyte_from) * megabyte_micros as micros,
                      used_bytes - uploaded_bytes as downloaded_bytes
                 from unnest($1::boolean[], $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
                             $7::bigint[], $8::bigint[], $9::bigint[])
                        as listed (is_refund, connection_id, payer_id, escrow_id, megabyte_from, megabyte_to,
                                   megabyte_micros, used_bytes, uploaded_bytes)
              ) as asked
         join accounts on accounts.id = escrow_id
     ), posted as (
       -- What goes back has no range of its own: its megabytes are the last of those that were charged.
       insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason,
                              megabyte_from, megabyte_to, uploaded_bytes, downloaded_bytes, charge_hash, created_at)
       select case when is_refund then 'connection:' || connection_id || ':refund' end,
              case when is_refund then escrow_id else payer_id end,
              case when is_refund then payer_id else escrow_id end,
              micros, case when is_refund then 'REFUND' else 'MEGABYTE' end,
              case when not is_refund then megabyte_from end, case when not is_refund then megabyte_to end,
              uploaded_bytes, downloaded_bytes, hash, statement_timestamp()
         from charge
     ), chained as (
       update accounts set balance_micros = balance_micros + cost_micros, charge_count = number, charge_hash = hash
         from charge where accounts.id = escrow_id
       returning 1
     ), paid as (
       update accounts set balance_micros = balance_micros + change.micros, held_micros = held_micros + change.held
         from (select account_id, sum(micros)::bigint as micros, sum(held)::bigint as held
                 from (select payer_id as account_id, -cost_micros as micros, 0 as held from charge
                       union all
                       select account_id, 0, held from unnest($10::bigint[], $11::bigint[]) as hold (account_id, held)
                      ) as part
                group by account_id) as change
        where accounts.id = change.account_id
       returning 1
     )
     select (select count(*) from chained)::int as escrows, (select count(*) from paid)::int as payers`,
    [
      charges.map((charge) => charge.kind === 'REFUND'),
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
  return row!;
}
