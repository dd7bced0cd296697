import type { Ctx } from '../../ctx.ts';

export interface Warning {
  id: bigint;
  userId: string;
  balanceMicros: bigint;
}

/** Users with open connections whose balance is below the threshold and who have not been warned. */
export function insertWarnings(ctx: Ctx, thresholdMicrosMin: bigint): Promise<Warning[]> {
  return ctx.db.query(
    `with payers as (
       select user_id, payer_account_id,
              greatest($1::bigint, megabyte_price(max(price_micros)) * prepaid_megabytes()) as threshold_micros
         from connections where status = 'WORK' group by user_id, payer_account_id
     ), low as (
       select user_id, threshold_micros, balance_micros
         from payers join readable_accounts as accounts on accounts.id = payer_account_id
        where balance_micros < threshold_micros
          and not exists (select from low_balance_warnings where low_balance_warnings.user_id = payers.user_id)
     ), warned as (
       insert into low_balance_warnings (user_id, threshold_micros) select user_id, threshold_micros from low
       on conflict (user_id) do nothing returning id, user_id
     )
     select warned.id, warned.user_id as "userId", low.balance_micros as "balanceMicros"
       from warned join low on low.user_id = warned.user_id`,
    [thresholdMicrosMin],
  );
}

/** Deletes warnings of users whose balance has recovered. @returns the number of deleted rows, at most `limit` */
export async function deleteRecovered(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from low_balance_warnings where id in (
       select low_balance_warnings.id
         from low_balance_warnings
         join readable_users as users on users.id = user_id
         join readable_accounts as accounts on accounts.id = users.account_id
        where balance_micros >= threshold_micros limit $1
     ) returning id`,
    [limit],
  );
  return rows.length;
}
