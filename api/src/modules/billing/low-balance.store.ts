import type { Ctx } from '../../ctx.ts';
import type { AlertRecipient } from './alert-mails.ts';

export interface Warning extends AlertRecipient {
  id: bigint;
  balanceMicros: bigint;
}

/** Users with open connections whose balance is below the threshold and who have not been warned. */
export function insertWarnings(ctx: Ctx, thresholdMicrosMin: bigint, limit: number): Promise<Warning[]> {
  return ctx.db.query(
    `with payers as (
       select user_id, payer_account_id,
              greatest($1::bigint, megabyte_price(max(price_micros)) * prepaid_megabytes()) as default_micros
         from connections where status = 'WORK' group by user_id, payer_account_id
     ), low as (
       select user_id, balance_micros, coalesce(low_balance_micros, default_micros) as threshold_micros,
              coalesce(is_mailed, true) as is_mailed, payer_account_id
         from payers
         join readable_accounts as accounts on accounts.id = payer_account_id
         left join alert_settings using (user_id)
        where balance_micros < coalesce(low_balance_micros, default_micros)
          and not exists (select from low_balance_warnings where low_balance_warnings.user_id = payers.user_id)
        limit $2
     ), warned as (
       insert into low_balance_warnings (user_id, threshold_micros, last_credit_id)
       select user_id, threshold_micros, (select max(id) from readable_transfers
                                           where credit_account_id = payer_account_id and megabyte_from is null
                                             and reason <> 'REFUND')
         from low
       on conflict (user_id) do nothing returning id, user_id
     )
     select warned.id, warned.user_id as "userId", low.balance_micros as "balanceMicros", email,
            language_code as "languageCode", is_mailed as "isMailed"
       from warned join low on low.user_id = warned.user_id join readable_users as users on users.id = warned.user_id`,
    [thresholdMicrosMin, limit],
  );
}

/**
 * Deletes warnings of users whose balance has recovered by a top-up or another credit, not only by the refund of a connection.
 * Credits of one account have increasing ids, because each holds the account's lock.
 * @returns the number of deleted rows, at most `limit`
 */
export async function deleteRecovered(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from low_balance_warnings where id in (
       select low_balance_warnings.id
         from low_balance_warnings
         join readable_users as users on users.id = user_id
         join readable_accounts as accounts on accounts.id = users.account_id
        where balance_micros >= threshold_micros
          and exists (select from readable_transfers
                       where credit_account_id = accounts.id and megabyte_from is null and reason <> 'REFUND'
                         and readable_transfers.id > coalesce(last_credit_id, 0))
        limit $1
     ) returning id`,
    [limit],
  );
  return rows.length;
}
