import type { Ctx } from '../../ctx.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';
import { OWNER } from './suspended-payments.store.ts';

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
  arrivalRateE12: bigint | undefined;
}
type StoredRow = Omit<UnassignedRow, 'units' | 'arrivalRateE12'> & { units: string; arrivalRateE12: string | null };

const toRow = (row: StoredRow): UnassignedRow => ({
  ...row,
  units: BigInt(row.units),
  arrivalRateE12: row.arrivalRateE12 === null ? undefined : BigInt(row.arrivalRateE12),
});

const ROW = `deposits.id, chain, asset, transaction_id as "transactionId", address, units, state, arrived_at as "arrivedAt",
            ${OWNER} as "userId", arrival_rate_e12 as "arrivalRateE12"`;

/** Payments on a chain to addresses of deleted accounts, whose credit nobody could spend, and to those that a restore has taken from their customers. */
const UNASSIGNED = `
    from deposits
    join deposit_addresses on deposit_addresses.id = address_id
    left join readable_users as users on users.id = ${OWNER}
   where (${OWNER} is null or users.status = 'DELETED') and credited_at is null and state in ('SEEN', 'INCLUDED', 'FINAL')`;

export async function listUnassigned(ctx: Ctx, page: PageQuery): Promise<UnassignedRow[]> {
  const rows = await ctx.db.query<StoredRow>(
    `select ${ROW} ${UNASSIGNED} order by arrived_at desc, deposits.id limit $1 offset $2`,
    [page.size, toOffset(page)],
  );
  return rows.map(toRow);
}

export async function countUnassigned(ctx: Ctx, limit: number): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count from (select ${UNASSIGNED} limit $1) as listed`,
    [limit],
  );
  return row!.count;
}

/** A payment to an address without a customer, whoever it was given to. */
export async function findLost(ctx: Ctx, id: string): Promise<UnassignedRow | undefined> {
  const [row] = await ctx.db.query<StoredRow>(
    `select ${ROW} from deposits join deposit_addresses on deposit_addresses.id = address_id
      where deposits.id = $1 and user_id is null`,
    [id],
  );
  return row && toRow(row);
}

/** @returns false unless it is final, and given to nobody yet */
export async function lockUnassigned(ctx: Ctx, id: string): Promise<boolean> {
  const rows = await ctx.db.query(
    `select from deposits join deposit_addresses on deposit_addresses.id = address_id
      where deposits.id = $1 and user_id is null and assigned_to is null and state = 'FINAL' for no key update of deposits`,
    [id],
  );
  return rows.length > 0;
}

export async function saveAssigned(ctx: Ctx, id: string, userId: string): Promise<void> {
  await ctx.db.query('update deposits set assigned_to = $2 where id = $1', [id, userId]);
}
