import type { TransactionKind } from '@cellhop/contract/transactions.values';
import type { Ctx } from '../../ctx.ts';

export interface EntryFilter {
  kinds: readonly TransactionKind[];
  /** Inclusive. */
  from: Date;
  /** Exclusive. */
  to: Date;
}

/** The keyset position of the next batch: entries before this transfer, with the balance before it. */
export interface Continuation {
  beforeId: bigint;
  balanceMicros: bigint;
}

export interface EntryRow {
  id: bigint;
  createdAt: Date;
  kind: TransactionKind;
  /** Signed. */
  micros: bigint;
  balanceAfterMicros: bigint;
  connectionId: string | null;
  ip: string | null;
  invoiceId: string | null;
  currency: string | null;
  promoCodeId: string | null;
  promoCode: string | null;
  referralId: string | null;
  referralEmail: string | null;
  /** The number of a top-up's receipt. */
  receipt: number | null;
  /** The request of an adjustment; null for other transfers. */
  requestId: string | null;
}

/** A page of an account's entries. `filter` null: all entries. */
export interface EntryPage {
  filter: EntryFilter | null;
  limit: number;
  offset: number;
}

/**
 * Entries of an account, newest first, with the balance after each.
 *
 * The balance after an entry is the current one less the sum of later entries; one statement reads both from one snapshot. All
 * transfers of a customer are posted under the lock of their account, so their ids are in posting order. Credits of customers have
 * a partial index of their own (`megabyte_from is null`), because only escrow accounts are credited for megabytes. The running sum
 * includes every entry, the filter only selects the shown ones. Without a filter no entry after the page is read, so the first page
 * costs the same for any length of history.
 *
 * @param start null: starts with the newest entry
 */
export function listEntries(
  ctx: Ctx,
  accountId: bigint,
  start: Continuation | null,
  { filter, limit, offset }: EntryPage,
): Promise<EntryRow[]> {
  return ctx.db.query(
    `with page as (
       select * from (
         select *, coalesce($3::bigint, (select balance_micros from readable_accounts where id = $1)) + micros
                   - (sum(micros) over (order by id desc rows unbounded preceding))::bigint as balance_after_micros
           from ((select id, -amount_micros as micros, reason, created_at, idempotency_key,
                         credit_account_id as other_account_id
                    from readable_transfers where debit_account_id = $1 and id < coalesce($2::bigint, 9223372036854775807)
                   order by id desc limit $9)
                 union all
                 (select id, amount_micros, reason, created_at, idempotency_key, debit_account_id
                    from readable_transfers
                   where credit_account_id = $1 and megabyte_from is null and id < coalesce($2::bigint, 9223372036854775807)
                   order by id desc limit $9)
                 order by id desc limit $9
                ) as newest
       ) as statement
        where $4::transfer_reason[] is null or (reason = any($4) and created_at >= $5 and created_at < $6)
        order by id desc limit $7 offset $8
     )
     select page.id, page.created_at as "createdAt", reason as kind, micros,
            balance_after_micros as "balanceAfterMicros", coalesce(connections.id, refunded.id) as "connectionId",
            host(coalesce(connections.address, refunded.address)) as ip,
            case reason when 'TOP_UP' then invoice_id end as "invoiceId", case reason when 'TOP_UP' then currency end as currency,
            case reason when 'TOP_UP' then deposits.receipt end as receipt, promo_codes.id as "promoCodeId", promo_codes.code as "promoCode",
            referral.id as "referralId", referral.email as "referralEmail",
            substring(page.idempotency_key from '^adjustment:([0-9a-f-]{36})') as "requestId"
       from page
       left join readable_connections as connections on escrow_account_id = other_account_id
       left join readable_staff_requests as requests on reason = 'ADJUSTMENT'
             and requests.id = substring(page.idempotency_key from '^adjustment:([0-9a-f-]{36})')::uuid
       left join readable_connections as refunded on refunded.id = requests.connection_id
       left join readable_deposits as deposits on reason in ('TOP_UP', 'REFERRAL_BONUS')
             and deposits.id = substring(page.idempotency_key from '^deposit:([0-9a-f-]{36})')::uuid
       left join readable_users as referral on reason = 'REFERRAL_BONUS' and referral.id = deposits.user_id
       left join readable_users as owner on reason = 'TRIAL' and owner.account_id = $1
       left join readable_promo_codes as promo_codes on promo_codes.id = owner.promo_code_id
      order by page.id desc`,
    [
      accountId,
      start?.beforeId ?? null,
      start?.balanceMicros ?? null,
      filter?.kinds ?? null,
      filter?.from ?? null,
      filter?.to ?? null,
      limit,
      offset,
      filter === null ? offset + limit : null,
    ],
    // Not prepared: the best plan for the first pages merges two indexes, for the last pages of a long history it sorts.
    { isPrepared: false },
  );
}

/** @param limit counts at most this many; null: all */
export async function countEntries(
  ctx: Ctx,
  accountId: bigint,
  filter: EntryFilter | null,
  limit: number | null,
): Promise<number> {
  const [row] =
    filter === null
      ? // Two index-only scans.
        await ctx.db.query<{ count: number }>(
          `select count(*)::int as count
             from (select from readable_transfers where debit_account_id = $1
                   union all
                   select from readable_transfers where credit_account_id = $1 and megabyte_from is null
                   limit $2) as entry`,
          [accountId, limit],
        )
      : await ctx.db.query<{ count: number }>(
          `select count(*)::int as count
             from (select from readable_transfers
                    where (debit_account_id = $1 or (credit_account_id = $1 and megabyte_from is null))
                      and reason = any($2::transfer_reason[]) and created_at >= $3 and created_at < $4
                    limit $5) as entry`,
          [accountId, filter.kinds, filter.from, filter.to, limit],
        );
  return row!.count;
}

interface KindSum {
  kind: TransactionKind;
  count: number;
  micros: bigint;
}

export interface Sums {
  /** The current balance, in the same snapshot as the sums. */
  balanceMicros: bigint;
  /** The sum of all entries after the range. */
  laterMicros: bigint;
  kinds: KindSum[];
}

/** The entries of an account in a range, by kind: those that the statement lists. */
export async function sumEntries(ctx: Ctx, accountId: bigint, from: Date, to: Date): Promise<Sums> {
  const rows = await ctx.db.query<KindSum & { balanceMicros: bigint; laterMicros: bigint }>(
    `with entries as (
       select reason, -amount_micros as micros, created_at from readable_transfers
        where debit_account_id = $1 and created_at >= $2
       union all
       select reason, amount_micros, created_at from readable_transfers
        where credit_account_id = $1 and megabyte_from is null and created_at >= $2
     ), sums as (
       select reason, count(*) filter (where created_at < $3)::int as count,
              coalesce(sum(micros) filter (where created_at < $3), 0)::bigint as micros,
              coalesce(sum(micros) filter (where created_at >= $3), 0)::bigint as later_micros
         from entries group by reason
     )
     select balance_micros as "balanceMicros", coalesce(sum(later_micros) over (), 0)::bigint as "laterMicros",
            reason as kind, coalesce(count, 0) as count, coalesce(micros, 0) as micros
       from readable_accounts left join sums on true
      where id = $1`,
    [accountId, from, to],
  );
  const { balanceMicros, laterMicros } = rows[0]!;
  const kinds = rows.filter(({ count }) => count > 0).map(({ kind, count, micros }) => ({ kind, count, micros }));
  return { balanceMicros, laterMicros, kinds };
}
