import type { Ctx } from '../../ctx.ts';
import { invariant, type Invariant, type VerifiedMark } from '../../invariant.ts';

export const ledgerInvariants: Invariant[] = [
  invariant(
    'all balances together are zero',
    `select 'the sum is ' || sum(balance_micros) as broken from balances having sum(balance_micros) <> 0`,
  ),
  invariant(
    'each balance is the sum of its entries',
    // Entries up to the mark come as a sum that was remembered. A transfer that was committed very late may be missing
    // in it, so whatever differs is added up from its first entry before it is called wrong.
    `with fresh as (
       select account_id, sum(amount_micros) as micros from entries where transfer_id > $1 group by account_id
     ), suspects as materialized (
       select balances.account_id as id, balance_micros
         from balances
         left join verified_sums on verified_sums.account_id = balances.account_id and $1::bigint > 0
         left join fresh on fresh.account_id = balances.account_id
        where balance_micros <> coalesce(verified_sums.micros, 0) + coalesce(fresh.micros, 0)
     )
     select 'account ' || id || ' has ' || balance_micros || ', its entries sum to ' || micros as broken
       from suspects
      cross join lateral (
        select coalesce(sum(amount_micros), 0) as micros from entries where account_id = suspects.id
      ) as exact
      where balance_micros <> micros`,
    (verified) => [verified.transferId],
  ),
  invariant(
    'every entry belongs to an account',
    // Without foreign keys, which would look each account up once more for every charge.
    `select 'account ' || account_id || ' does not exist and has entries' as broken
       from (select distinct account_id from entries where transfer_id > $1) as entry
      where not exists (select from balances where balances.account_id = entry.account_id)`,
    (verified) => [verified.transferId],
  ),
  invariant(
    'no customer and no escrow is below zero, holds included',
    `select 'account ' || account_id || ' has ' || balance_micros || ' and holds ' || held_micros as broken
       from balances where held_micros < 0 or (kind in ('USER', 'ESCROW') and balance_micros - held_micros < 0)`,
  ),
  invariant(
    'every transfer moves a positive amount',
    `select 'transfer ' || id || ' moves ' || amount_micros as broken
       from transfers where id > $1 and (amount_micros <= 0 or debit_account_id = credit_account_id)`,
    (verified) => [verified.transferId],
  ),
  invariant(
    'every transfer is between accounts that exist',
    `select 'transfer ' || id || ' names account ' || account_id as broken
       from transfers cross join lateral (values (debit_account_id), (credit_account_id)) as side (account_id)
      where id > $1 and not exists (select from balances where balances.account_id = side.account_id)`,
    (verified) => [verified.transferId],
  ),
];

/** The newest transfer that was posted more than a minute ago; no transaction of ours is open for that long. */
export async function findSettledTransfer(ctx: Ctx): Promise<bigint> {
  const [row] = await ctx.db.query<{ id: bigint }>(
    `select id from transfers where created_at < now() - interval '1 minute' order by id desc limit 1`,
  );
  return row?.id ?? 0n;
}

/**
 * Adds what was posted after the mark, up to a transfer, to the remembered sums. From nothing it makes them anew and
 * reads as much as the whole check does: the caller's transaction needs the time for it.
 */
export async function rememberSums(ctx: Ctx, verified: VerifiedMark, upToTransferId: bigint): Promise<void> {
  if (verified.transferId === 0n) await ctx.db.query('delete from verified_sums');
  await ctx.db.query(
    `insert into verified_sums (account_id, micros)
     select account_id, sum(amount_micros)::bigint
       from entries where transfer_id > $1 and transfer_id <= $2 group by account_id
     on conflict (account_id) do update set micros = verified_sums.micros + excluded.micros`,
    [verified.transferId, upToTransferId],
    { isPrepared: false },
  );
  // The escrow of an ended connection is empty for good: it need not be remembered.
  await ctx.db.query('delete from verified_sums where micros = 0');
}
