import type { Ctx } from '../../ctx.ts';

/** Paid invoices of the users' referrals in the previous calendar month (UTC). Users without any are left out. */
export function countPaymentsOfLastMonth(
  ctx: Ctx,
  referrerIds: readonly string[],
): Promise<{ referrerId: string; count: number }[]> {
  return ctx.db.query(
    `select referrer_id as "referrerId", count(*)::int as count from referral_payments
      where referrer_id = any($1::uuid[])
        and paid_at >= date_trunc('month', date_trunc('month', now(), 'UTC') - interval '1 day', 'UTC')
        and paid_at < date_trunc('month', now(), 'UTC')
      group by referrer_id`,
    [referrerIds],
  );
}

/**
 * Counts an invoice for the payer's referrer. Does nothing if it was already counted, if the payer has no referrer, or if both have
 * the same normalized email address.
 */
export async function insertPayment(ctx: Ctx, invoiceId: string, payerId: string): Promise<void> {
  await ctx.db.query(
    `insert into referral_payments (invoice_id, referrer_id)
     select $1, referrer.id
       from readable_users as payer join readable_users as referrer on referrer.id = payer.referrer_id
      where payer.id = $2 and folded_email(referrer.email) <> folded_email(payer.email)
     on conflict (invoice_id) do nothing`,
    [invoiceId, payerId],
  );
}

export interface Referrer {
  userId: string;
  accountId: bigint;
}

/** The referrer who earns bonuses of the payer's top-ups: not if blocked or deleted, or if it is the payer's own second account. */
export async function findReferrer(ctx: Ctx, payerId: string): Promise<Referrer | undefined> {
  const [row] = await ctx.db.query<Referrer>(
    `select referrer.id as "userId", referrer.account_id as "accountId"
       from readable_users as payer
       join readable_users as referrer on referrer.id = payer.referrer_id
      where payer.id = $1 and referrer.status = 'ACTIVE'
        and folded_email(referrer.email) <> folded_email(payer.email)`,
    [payerId],
  );
  return row;
}
