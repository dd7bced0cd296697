import type { Ctx } from '../../ctx.ts';

/** Each query finds rows that must not exist. */
export async function findBrokenDeposits(ctx: Ctx): Promise<string[]> {
  const rows = await ctx.db.query<{ broken: string }>(
    `select 'deposit ' || deposits.id || ' has the state ' || state || ' and credited ' || coalesce(credited_micros, 0)
              || ', the ledger has ' || coalesce(amount_micros, 0) as broken
       from deposits
       left join transfers on idempotency_key = 'deposit:' || deposits.id
      where coalesce(credited_micros, 0) <> coalesce(amount_micros, 0)
     union all
     select 'invoice ' || invoices.id || ' is ' || status || ' without a credited deposit'
       from invoices
      where status in ('PARTIALLY_PAID', 'PAID', 'OVERPAID')
        and not exists (select from deposits where invoice_id = invoices.id and state = 'CREDITED')`,
  );
  return rows.map((row) => row.broken);
}
