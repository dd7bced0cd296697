/** Deposits as customers and staff see them: of invoices, suspended ones, unassigned ones, those of receipts. */
import type { Ctx } from '../../ctx.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';
import {
  BY_OWNER,
  DEPOSIT,
  FROM,
  IS_SUSPENDED,
  OWNED,
  OWNER,
  select,
  SUSPENDED,
  type Deposit,
  type DepositState,
  type OwnedDeposit,
} from './deposits.store.ts';

export async function findDeposit(ctx: Ctx, id: string): Promise<Deposit | undefined> {
  const [deposit] = await select(ctx, `${DEPOSIT} where deposits.id = $1`, [id]);
  return deposit;
}

const NOT_COUNTED: readonly DepositState[] = ['ORPHANED', 'REPLACED', 'REVERSED'];

/** Whether its money has arrived or is on the way. Others count neither for the payer nor for the status of an invoice. */
export const isCounted = ({ state }: Pick<Deposit, 'state'>): boolean => !NOT_COUNTED.includes(state);

/** All deposits of invoices, ordered by arrival. */
export function listOfInvoices(ctx: Ctx, invoiceIds: readonly string[]): Promise<Deposit[]> {
  return select(ctx, `${DEPOSIT} where invoice_id = any($1::uuid[]) order by arrived_at, deposits.id`, [invoiceIds]);
}

export async function listCounted(ctx: Ctx, invoiceIds: readonly string[]): Promise<Deposit[]> {
  return (await listOfInvoices(ctx, invoiceIds)).filter(isCounted);
}

/** The deposits of an invoice to whose address another transaction had paid before. */
export async function listOfReusedAddress(ctx: Ctx, invoiceId: string): Promise<ReadonlySet<string>> {
  const rows = await ctx.db.query<{ id: string }>(
    `select id from deposits
      where invoice_id = $1 and not is_by_hand and exists (
        select from deposits as earlier
         where earlier.address_id = deposits.address_id and not earlier.is_by_hand and earlier.state <> all($2)
           and earlier.transaction_id <> deposits.transaction_id
           and (earlier.arrived_at, earlier.id) < (deposits.arrived_at, deposits.id))`,
    [invoiceId, NOT_COUNTED],
  );
  return new Set(rows.map(({ id }) => id));
}

/** @returns undefined if the user has no receipt with this number */
export async function findByReceipt(ctx: Ctx, userId: string, number: number): Promise<Deposit | undefined> {
  const [deposit] = await select(ctx, `${DEPOSIT} where number = $1 and ${OWNER} = $2`, [number, userId]);
  return deposit;
}

/** The oldest first: they have waited longest. */
export function listSuspended(ctx: Ctx, page: PageQuery): Promise<OwnedDeposit[]> {
  return select(ctx, `${OWNED} where ${SUSPENDED} order by arrived_at, deposits.id limit $1 offset $2`, [
    page.size,
    toOffset(page),
  ]);
}

export function countSuspended(ctx: Ctx, limit: number): Promise<number> {
  return countUpTo(ctx, `${BY_OWNER} where ${SUSPENDED}`, limit);
}

/** Payments on a chain to addresses of deleted accounts, whose credit nobody could spend, and to those that a restore has taken from their customers. */
const UNASSIGNED = `left join readable_users as owner on owner.id = ${OWNER}
   where (${OWNER} is null or owner.status = 'DELETED') and credited_at is null and state in ('SEEN', 'INCLUDED', 'FINAL')`;

export function listUnassigned(ctx: Ctx, page: PageQuery): Promise<Deposit[]> {
  return select(ctx, `${DEPOSIT} ${UNASSIGNED} order by arrived_at desc, deposits.id limit $1 offset $2`, [
    page.size,
    toOffset(page),
  ]);
}

export function countUnassigned(ctx: Ctx, limit: number): Promise<number> {
  return countUpTo(ctx, `${FROM} ${UNASSIGNED}`, limit);
}

/** @returns false unless it is final and unassigned */
export async function lockUnassigned(ctx: Ctx, id: string): Promise<boolean> {
  const rows = await ctx.db.query(
    `select ${FROM} where deposits.id = $1 and ${OWNER} is null and state = 'FINAL' for no key update of deposits`,
    [id],
  );
  return rows.length > 0;
}

async function countUpTo(ctx: Ctx, rows: string, limit: number): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count from (select ${rows} limit $1) as listed`,
    [limit],
  );
  return row!.count;
}

/** Deposits that are not credited yet, by chain, unless their account is deleted; there are few. */
export function countOpen(ctx: Ctx): Promise<{ chain: string; count: number; suspendedCount: number }[]> {
  return ctx.db.query(
    `select chain, count(*)::int as count, (count(*) filter (where ${IS_SUSPENDED}))::int as "suspendedCount"
       ${BY_OWNER} and owner.status <> 'DELETED'
      where credited_at is null and state in ('SEEN', 'INCLUDED', 'FINAL') group by chain`,
  );
}

/** Exchanges pay for many accounts from one wallet, which says nothing about them. */
const ACCOUNTS_OF_WALLET_MAX = 5;
const PAYMENTS_READ_MAX = 1000;

/** Whom the payers of a user's last payments have paid for, too: in one transaction, or from one wallet. */
export async function listOfPayers(ctx: Ctx, userId: string, limit: number): Promise<string[]> {
  const rows = await ctx.db.query<{ userId: string }>(
    `with own as (
       select chain, transaction_id, sender from deposit_addresses join deposits on address_id = deposit_addresses.id
        where user_id = $1 order by arrived_at desc limit $4),
     wallets as (
       select accounts from (select distinct sender from own where sender is not null) as senders
        cross join lateral (
          select array_agg(distinct user_id) as accounts, count(*) as payments
            from (select user_id from deposits join deposit_addresses on deposit_addresses.id = address_id
                   where deposits.sender = senders.sender limit $4 + 1) as paid) as paid
        where cardinality(accounts) <= $3 and payments <= $4)
     select distinct user_id as "userId"
       from (select user_id from own join deposits using (chain, transaction_id) join deposit_addresses on deposit_addresses.id = address_id
             union all select unnest(accounts) from wallets) as paid
      where user_id <> $1 order by 1 limit $2`,
    [userId, limit, ACCOUNTS_OF_WALLET_MAX, PAYMENTS_READ_MAX],
  );
  return rows.map((row) => row.userId);
}
