import type { Ctx } from '../../ctx.ts';
import type { VerifiedMark } from '../../db/invariant.ts';

/** The lease of a check, with the state before it. */
export interface Lease {
  /** Needed to write the result. */
  leaseId: string;
  verified: VerifiedMark;
  fullyVerifiedAt: Date | null;
  /** A minute ago by the database's clock: everything older has been committed. */
  settledUntil: Date;
}

/** @returns undefined if a worker has checked in this interval, or is still checking */
export async function acquireLease(ctx: Ctx, intervalMs: number, leaseMs: number): Promise<Lease | undefined> {
  const [row] = await ctx.db.query<{
    leaseId: string;
    transferId: bigint;
    until: Date;
    fullyVerifiedAt: Date | null;
    settledUntil: Date;
  }>(
    `update reconciliation
        set claimed_at = now(), lease_id = gen_random_uuid(), leased_until = now() + $2 * interval '1 millisecond'
      where (claimed_at is null or claimed_at <= now() - $1 * interval '1 millisecond')
        and (leased_until is null or leased_until <= now())
     returning lease_id as "leaseId", verified_transfer_id as "transferId", verified_until as until,
               verified_whole_at as "fullyVerifiedAt", now() - interval '1 minute' as "settledUntil"`,
    [intervalMs, leaseMs],
  );
  if (!row) return undefined;
  const { transferId, until, ...rest } = row;
  return { verified: { transferId, until }, ...rest };
}

/** @returns false if another worker has the lease */
export async function renewLease(ctx: Ctx, leaseId: string, leaseMs: number): Promise<boolean> {
  const rows = await ctx.db.query(
    `update reconciliation set leased_until = now() + $2 * interval '1 millisecond' where lease_id = $1 returning lease_id`,
    [leaseId, leaseMs],
  );
  return rows.length > 0;
}

export async function releaseLease(ctx: Ctx, leaseId: string): Promise<void> {
  await ctx.db.query('update reconciliation set lease_id = null, leased_until = null where lease_id = $1', [leaseId]);
}

/** @returns false if another worker has the lease */
export async function saveResult(
  ctx: Ctx,
  leaseId: string,
  result: { durationMs: number; violationCount: number; violations: readonly string[] },
): Promise<boolean> {
  const rows = await ctx.db.query(
    `update reconciliation set checked_at = now(), duration_ms = $2, violation_count = $3, violations = $4
      where lease_id = $1 returning lease_id`,
    [leaseId, result.durationMs, result.violationCount, result.violations],
  );
  return rows.length > 0;
}

export async function saveMark(ctx: Ctx, { transferId, until }: VerifiedMark, isFull: boolean): Promise<void> {
  await ctx.db.query(
    `update reconciliation set verified_transfer_id = $1, verified_until = $2,
            verified_whole_at = case when $3 then now() else verified_whole_at end`,
    [transferId, until, isFull],
  );
}

export interface LastResult {
  checkedAt: Date | null;
  durationMs: number | null;
  violationCount: number;
  violations: string[];
  ageSeconds: number | null;
}

export async function readResult(ctx: Ctx): Promise<LastResult> {
  const [row] = await ctx.db.query<LastResult>(
    `select checked_at as "checkedAt", duration_ms as "durationMs", violation_count as "violationCount", violations,
            extract(epoch from clock_timestamp() - checked_at)::float8 as "ageSeconds"
       from reconciliation`,
  );
  return row!;
}

export interface MoneyFigures {
  /** Balances of customers and escrow of open connections: the negated sum of the system accounts. */
  customerMicros: bigint;
  heldMicros: bigint;
  openConnections: number;
}

/** Reads only the system accounts and the open connections, so the cost does not depend on the number of customers. */
export async function readMoney(ctx: Ctx, firstCustomerAccount: bigint): Promise<MoneyFigures> {
  const [row] = await ctx.db.query<MoneyFigures>(
    `select (select -coalesce(sum(balance_micros), 0) from readable_accounts where id < $1)::bigint as "customerMicros",
            (select coalesce(sum(held_micros), 0) from readable_accounts
              where id in (select payer_account_id from readable_connections where status = 'WORK'))::bigint as "heldMicros",
            (select count(*)::int from readable_connections where status = 'WORK') as "openConnections"`,
    [firstCustomerAccount],
  );
  return row!;
}
