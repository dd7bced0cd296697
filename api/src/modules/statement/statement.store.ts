import type { TransactionKind } from '@cellhop/contract/transactions';
import type { Ctx } from '../../ctx.ts';

export interface EntryFilter {
  kinds: readonly TransactionKind[];
  /** Included. */
  from: Date;
  /** Not included. */
  to: Date;
}

/** Where a list of entries begins: before this transfer, when the balance was this. */
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
}

/** What a list shows of an account's entries. `filter` null: all of them. */
export interface EntryPage {
  filter: EntryFilter | null;
  limit: number;
  offset: number;
}

/**
 * Entries of an account, newest first, with the balance after each.
 *
 * The balance is today's less the sum of what came later: both are read by one statement, hence from one snapshot. All
 * transfers of a customer are posted under the lock of his account, so their ids have the order in which they counted.
 * Customers pay for megabytes and never get any, and what they get has an index of its own (`megabyte_from is null`).
 * The running sum goes over every entry, the filter only chooses what is shown of them. Without a filter no entry below
 * the page is read: the first page costs the same for a new customer and for one with a million transfers.
 *
 * @param start null: from the newest on
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
            balance_after_micros as "balanceAfterMicros", connections.id as "connectionId", host(ip) as ip,
            case reason when 'TOP_UP' then invoice_id end as "invoiceId", case reason when 'TOP_UP' then currency end as currency,
            promo_codes.id as "promoCodeId", promo_codes.code as "promoCode",
            referral.id as "referralId", referral.email as "referralEmail"
       from page
       left join readable_connections as connections on escrow_account_id = other_account_id
       left join readable_proxies as proxies on proxies.id = proxy_id
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
    // A page at the top is best read along two indexes, one at the bottom of a long history is best sorted.
    { isPrepared: false },
  );
}

export async function countEntries(ctx: Ctx, accountId: bigint, filter: EntryFilter | null): Promise<number> {
  const [row] =
    filter === null
      ? // Read from two indexes alone.
        await ctx.db.query<{ count: number }>(
          `select ((select count(*) from readable_transfers where debit_account_id = $1)
                   + (select count(*) from readable_transfers
                       where credit_account_id = $1 and megabyte_from is null))::int as count`,
          [accountId],
        )
      : await ctx.db.query<{ count: number }>(
          `select count(*)::int as count from readable_transfers
            where (debit_account_id = $1 or (credit_account_id = $1 and megabyte_from is null))
              and reason = any($2::transfer_reason[]) and created_at >= $3 and created_at < $4`,
          [accountId, filter.kinds, filter.from, filter.to],
        );
  return row!.count;
}
