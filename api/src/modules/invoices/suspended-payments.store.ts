/** Payments that are final and not credited yet: suspended until the operator, staff or a rate resume them. */
import type { Ctx } from '../../ctx.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';

export type SuspensionReason = 'LARGE' | 'SOURCES_DISAGREE' | 'SETTLED' | 'DEPEG';

/**
 * The condition of a row of `deposits` that is suspended. A stablecoin without its peg waits for a rate of staff, whatever the operator has
 * resumed; the others for the operator, whatever rate staff have chosen.
 */
export const IS_SUSPENDED = `(hold is not null and case when hold = 'DEPEG' then decided_rate_e12 is null else released_at is null end)`;

/** Not while something else suspends it, which comes first. @returns whether it is suspended now because of this */
export async function suspend(ctx: Ctx, id: string, hold: SuspensionReason): Promise<boolean> {
  const rows = await ctx.db.query(
    `update deposits set hold = $2 where id = $1 and state in ('FINAL', 'REVERSED') and not ${IS_SUSPENDED} returning id`,
    [id, hold],
  );
  return rows.length > 0;
}

/**
 * Whether staff have settled about the same amount at the same address after the payment had arrived, so that it is probably the same
 * one. About: they settle what is due, and exchanges deduct fees.
 */
export async function isSettledByHand(ctx: Ctx, id: string): Promise<boolean> {
  const rows = await ctx.db.query(
    `select from deposits join deposits as settled using (address_id, chain, asset)
      where deposits.id = $1 and settled.is_by_hand and settled.credited_at > deposits.arrived_at
        and abs(settled.units - deposits.units) * 20 <= deposits.units limit 1`,
    [id],
  );
  return rows.length > 0;
}

/** By the operator; not of a stablecoin without its peg. @returns false if the deposit is not suspended */
export async function resume(ctx: Ctx, id: string): Promise<boolean> {
  const rows = await ctx.db.query(
    `update deposits set released_at = now() where id = $1 and hold <> 'DEPEG' and released_at is null returning id`,
    [id],
  );
  return rows.length > 0;
}

export async function hasWaitingForPeg(ctx: Ctx, chain: string): Promise<boolean> {
  const rows = await ctx.db.query(
    `select from deposits where chain = $1 and state = 'FINAL' and hold = 'DEPEG' and decided_rate_e12 is null limit 1`,
    [chain],
  );
  return rows.length > 0;
}

/** What the operator had resumed before stays resumed. */
export async function resumeAtPeg(ctx: Ctx, chain: string): Promise<void> {
  await ctx.db.query(
    `update deposits set hold = case when released_at is null then null else 'LARGE' end
      where chain = $1 and state = 'FINAL' and hold = 'DEPEG' and decided_rate_e12 is null`,
    [chain],
  );
}

/** Whom a row of `deposits` with its address belongs to; null: nobody knows. */
export const OWNER = 'coalesce(assigned_to, deposit_addresses.user_id)';

export interface SuspendedRow {
  id: string;
  chain: string;
  asset: string;
  transactionId: string;
  units: bigint;
  hold: SuspensionReason;
  arrivedAt: Date;
  invoiceId: string | null;
  userId: string;
  userEmail: string;
}
type StoredSuspendedRow = Omit<SuspendedRow, 'units'> & { units: string };

const SUSPENDED = `
    from deposits
    join deposit_addresses on deposit_addresses.id = address_id
    join readable_users as users on users.id = ${OWNER} and users.status <> 'DELETED'
   where (state = 'FINAL' or (state = 'REVERSED' and block_hash is not null)) and ${IS_SUSPENDED}`;
const SUSPENDED_ROW = `deposits.id, chain, asset, transaction_id as "transactionId", units, hold, arrived_at as "arrivedAt",
         invoice_id as "invoiceId", users.id as "userId", email as "userEmail"`;

/** The oldest first: they have waited longest. */
export async function listSuspended(ctx: Ctx, page: PageQuery): Promise<SuspendedRow[]> {
  const rows = await ctx.db.query<StoredSuspendedRow>(
    `select ${SUSPENDED_ROW} ${SUSPENDED} order by arrived_at, deposits.id limit $1 offset $2`,
    [page.size, toOffset(page)],
  );
  return rows.map(toRow);
}

export async function countSuspended(ctx: Ctx, limit: number): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count from (select ${SUSPENDED} limit $1) as listed`,
    [limit],
  );
  return row!.count;
}

/** Whom the deposit belongs to, suspended or not. */
export async function findOwner(ctx: Ctx, id: string): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ userId: string | null }>(
    `select ${OWNER} as "userId" from deposits join deposit_addresses on deposit_addresses.id = address_id
      where deposits.id = $1`,
    [id],
  );
  return row?.userId ?? undefined;
}

/** @returns undefined if it is not suspended because of its peg, or if another transaction has it locked */
export async function lockWaitingForPeg(ctx: Ctx, id: string): Promise<SuspendedRow | undefined> {
  const [row] = await ctx.db.query<StoredSuspendedRow>(
    `select ${SUSPENDED_ROW} ${SUSPENDED} and deposits.id = $1 and hold = 'DEPEG' for no key update of deposits skip locked`,
    [id],
  );
  return row && toRow(row);
}

/** The worker credits it at this rate. */
export async function saveDecidedRate(ctx: Ctx, id: string, rateE12: bigint): Promise<void> {
  await ctx.db.query('update deposits set decided_rate_e12 = $2 where id = $1', [id, rateE12]);
}

function toRow(row: StoredSuspendedRow): SuspendedRow {
  return { ...row, units: BigInt(row.units) };
}
