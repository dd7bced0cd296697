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
  userId: string;
}

/** Payments on a chain to addresses of deleted accounts: nobody could spend a credit. */
const UNASSIGNED = `
    from deposits
    join deposit_addresses on deposit_addresses.id = address_id
    join readable_users as users on users.id = user_id
   where users.status = 'DELETED' and credited_at is null and state in ('SEEN', 'INCLUDED', 'FINAL')`;

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
