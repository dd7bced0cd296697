import type { Ctx } from '../../ctx.ts';
import type { VerifiedMark } from '../../invariant.ts';

/** What is known before a check. */
export interface Claim {
  verified: VerifiedMark;
  verifiedWholeAt: Date | null;
  /** When everything that is older has been committed: a minute ago, by the database's clock. */
  settledUntil: Date;
}

/** Takes the job for this interval. @returns undefined if a worker has taken it already */
export async function claim(ctx: Ctx, intervalMs: number): Promise<Claim | undefined> {
  const [row] = await ctx.db.query<{
    transferId: bigint;
    until: Date;
    verifiedWholeAt: Date | null;
    settledUntil: Date;
  }>(
    `update reconciliation set claimed_at = now()
      where claimed_at is null or claimed_at <= now() - $1 * interval '1 millisecond'
     returning verified_transfer_id as "transferId", verified_until as until, verified_whole_at as "verifiedWholeAt",
               now() - interval '1 minute' as "settledUntil"`,
    [intervalMs],
  );
  if (!row) return undefined;
  const { transferId, until, ...rest } = row;
  return { verified: { transferId, until }, ...rest };
}

export async function saveResult(
  ctx: Ctx,
  result: { durationMs: number; violationCount: number; violations: readonly string[] },
): Promise<void> {
  await ctx.db.query(
    `update reconciliation set checked_at = now(), duration_ms = $1, violation_count = $2, violations = $3`,
    [result.durationMs, result.violationCount, result.violations],
  );
}

export async function saveMark(ctx: Ctx, { transferId, until }: VerifiedMark, isWhole: boolean): Promise<void> {
  await ctx.db.query(
    `update reconciliation set verified_transfer_id = $1, verified_until = $2,
            verified_whole_at = case when $3 then now() else verified_whole_at end`,
    [transferId, until, isWhole],
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
  /** What customers have, money in escrow of open connections included: all that is in no account of the shop. */
  customerMicros: bigint;
  heldMicros: bigint;
  openConnections: number;
}

/** Reads the shop's few own accounts and the open connections, so that it costs little however many customers there are. */
export async function readMoney(ctx: Ctx, firstCustomerAccount: bigint): Promise<MoneyFigures> {
  const [row] = await ctx.db.query<MoneyFigures>(
    `select (select -coalesce(sum(balance_micros), 0) from accounts where id < $1)::bigint as "customerMicros",
            (select coalesce(sum(held_micros), 0) from accounts
              where id in (select payer_account_id from connections where status = 'WORK'))::bigint as "heldMicros",
            (select count(*)::int from connections where status = 'WORK') as "openConnections"`,
    [firstCustomerAccount],
  );
  return row!;
}
