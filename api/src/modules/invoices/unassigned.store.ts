import type { Ctx } from '../../ctx.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';

export interface UnassignedRow {
  id: string;
  chain: string;
  asset: string;
  transactionId: string;
  address: string;
  units: bigint;
  state: 'SEEN' | 'INCLUDED' | 'FINAL';
  arrivedAt: Date;
  /** Null: the address was shown in a time that a restore of the database has lost. */
  userId: string | null;
}

/** Payments on a chain to addresses of deleted accounts, whose credit nobody could spend, and to those that a restore has taken from their customers. */
const UNASSIGNED = `
    from deposits
    join deposit_addresses on deposit_addresses.id = address_id
    left join readable_users as users on users.id = user_id
   where (user_id is null or users.status = 'DELETED') and credited_at is null and state in ('SEEN', 'INCLUDED', 'FINAL')`;

export async function listUnassigned(ctx: Ctx, page: PageQuery): Promise<UnassignedRow[]> {
  const rows = await ctx.db.query<Omit<UnassignedRow, 'units'> & { units: string }>(
    `select deposits.id, chain, asset, transaction_id as "transactionId", address, units, state, arrived_at as "arrivedAt",
            user_id as "userId"
       ${UNASSIGNED} order by arrived_at desc, deposits.id limit $1 offset $2`,
    [page.size, toOffset(page)],
  );
  return rows.map((row) => ({ ...row, units: BigInt(row.units) }));
}

export async function countUnassigned(ctx: Ctx, limit: number): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count from (select ${UNASSIGNED} limit $1) as listed`,
    [limit],
  );
  return row!.count;
}
