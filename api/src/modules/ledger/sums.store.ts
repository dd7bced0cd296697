import type { Ctx } from '../../ctx.ts';

/** Below the id of every transfer. */
export const BEFORE_FIRST = -(2n ** 63n);

/** Not prepared: the plan depends on the mark, which excludes nothing or nearly everything. */
const planned = { isPrepared: false };

/** The newest transfer older than a minute; no transaction is open for that long. */
export async function findSettledTransfer(ctx: Ctx): Promise<bigint> {
  const [row] = await ctx.db.query<{ id: bigint }>(
    `select id from transfers where created_at < now() - interval '1 minute' order by id desc limit 1`,
  );
  return row?.id ?? 0n;
}

/** @returns the transfer up to which sums are stored */
export async function readMark(ctx: Ctx): Promise<bigint> {
  const [row] = await ctx.db.query<{ transferId: bigint }>('select transfer_id as "transferId" from account_sums_mark');
  return row!.transferId;
}

/** @returns the last of the next `limit` transfers; null if there is none */
export async function findEnd(ctx: Ctx, after: bigint, upTo: bigint, limit: number): Promise<bigint | null> {
  const [row] = await ctx.db.query<{ id: bigint | null }>(
    `select max(id) as id
       from (select id from transfers where id > $1 and id <= $2 order by id limit $3) as chunk`,
    [after, upTo, limit],
    planned,
  );
  return row!.id;
}

/** Call it in a transaction. @returns false if another process has moved the mark */
export async function addEntries(ctx: Ctx, mark: bigint, to: bigint): Promise<boolean> {
  const moved = await ctx.db.query(
    'update account_sums_mark set transfer_id = $2 where transfer_id = $1 returning transfer_id',
    [mark, to],
  );
  if (moved.length === 0) return false;
  await ctx.db.query(
    `insert into account_sums (account_id, micros)
     select account_id, sum(amount_micros)::bigint
       from entries where transfer_id > $1 and transfer_id <= $2 group by account_id
     on conflict (account_id) do update set micros = account_sums.micros + excluded.micros`,
    [mark, to],
    planned,
  );
  // The escrow of an ended connection stays empty and needs no stored sum.
  await ctx.db.query('delete from account_sums where micros = 0');
  return true;
}

/** @returns accounts whose balance differs from the stored sum plus later entries */
export async function findSuspects(ctx: Ctx, rows: string, chunk: [string, string], mark: bigint): Promise<bigint[]> {
  const found = await ctx.db.query<{ id: bigint }>(
    `with fresh as materialized (
       select account_id, sum(amount_micros) as micros from entries where transfer_id > $3 group by account_id
     )
     select balances.account_id as id
       from balances
       left join account_sums on account_sums.account_id = balances.account_id
       left join fresh on fresh.account_id = balances.account_id
      where ${rows} and balance_micros <> coalesce(account_sums.micros, 0) + coalesce(fresh.micros, 0)`,
    [...chunk, mark],
    planned,
  );
  return found.map(({ id }) => id);
}

/**
 * Sums all entries of a chunk of accounts.
 * @returns accounts whose balance or stored sum differs, or that have too many entries for this
 */
export async function findSuspectsAmongAll(
  ctx: Ctx,
  rows: string,
  chunk: [string, string],
  mark: bigint,
  entriesMax: number,
): Promise<bigint[]> {
  return ctx.tx(async (ctx) => {
    // Most transfers belong to few accounts, so the planner expects many entries per account and would use sequential scans.
    await ctx.db.query(`select set_config('enable_seqscan', 'off', true)`);
    // Credits are in two partial indexes, one for charges with megabytes and one for other transfers.
    const found = await ctx.db.query<{ id: bigint }>(
      `select balances.account_id as id
       from balances
       left join account_sums on account_sums.account_id = balances.account_id
      cross join lateral (
        select count(*) as count, coalesce(sum(micros), 0) as micros,
               coalesce(sum(micros) filter (where entry.id <= $3), 0) as remembered
          from (select id, -amount_micros as micros from transfers where debit_account_id = balances.account_id
                union all
                select id, amount_micros from transfers
                 where credit_account_id = balances.account_id and megabyte_from is null
                union all
                select id, amount_micros from transfers
                 where credit_account_id = balances.account_id and megabyte_from is not null
                limit $4 + 1) as entry
      ) as sums
      where ${rows}
        and (count > $4 or balance_micros <> sums.micros or remembered <> coalesce(account_sums.micros, 0))`,
      [...chunk, mark, entriesMax],
      planned,
    );
    return found.map(({ id }) => id);
  });
}

export interface PartialSum {
  count: number;
  micros: bigint;
  lastTransferId: bigint | null;
}

/** Sums the next entries of an account in order, at most `limit`. */
export async function sumNextEntries(
  ctx: Ctx,
  accountId: bigint,
  after: bigint,
  upTo: bigint,
  limit: number,
): Promise<PartialSum> {
  const [row] = await ctx.db.query<PartialSum>(
    `select count(*)::integer as count, coalesce(sum(micros), 0)::bigint as micros, max(id) as "lastTransferId"
       from (
         select id, micros from (
           (select id, -amount_micros as micros from transfers
             where debit_account_id = $1 and id > $2 and id <= $3 order by id limit $4)
           union all
           (select id, amount_micros from transfers
             where credit_account_id = $1 and megabyte_from is null and id > $2 and id <= $3 order by id limit $4)
           union all
           (select id, amount_micros from transfers
             where credit_account_id = $1 and megabyte_from is not null and id > $2 and id <= $3 order by id limit $4)
         ) as entry order by id limit $4
       ) as piece`,
    [accountId, after, upTo, limit],
    planned,
  );
  return row!;
}

/** @returns the balance and the sum of all entries, from one snapshot */
export async function compareBalance(
  ctx: Ctx,
  accountId: bigint,
  olderMicros: bigint,
  after: bigint,
): Promise<{ balanceMicros: bigint; entriesMicros: bigint }> {
  const [row] = await ctx.db.query<{ balanceMicros: bigint; entriesMicros: bigint }>(
    `select balance_micros::bigint as "balanceMicros",
            ($2::bigint + coalesce((select sum(amount_micros) from entries where account_id = $1 and transfer_id > $3), 0)
            )::bigint as "entriesMicros"
       from balances where account_id = $1`,
    [accountId, olderMicros, after],
    planned,
  );
  return row!;
}

/** Corrects the stored sum, unless the mark has moved since it was computed. */
export async function correctSum(ctx: Ctx, accountId: bigint, micros: bigint, mark: bigint): Promise<void> {
  await ctx.db.query(
    `with mark as materialized (select transfer_id from account_sums_mark where transfer_id = $3 for share)
     insert into account_sums (account_id, micros) select $1, $2 from mark
     on conflict (account_id) do update set micros = excluded.micros where account_sums.micros <> excluded.micros`,
    [accountId, micros, mark],
  );
}
