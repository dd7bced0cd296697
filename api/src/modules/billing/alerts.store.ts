import type { Ctx } from '../../ctx.ts';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { MailedReason } from './end-reasons.ts';
import type { Actor } from '../../http/actor.ts';

export interface AlertRecipient {
  userId: string;
  email: string;
  languageCode: LanguageCode;
  isMailed: boolean;
}

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

export interface CapWarning extends AlertRecipient {
  connectionId: string;
  ip: string;
  usedBytes: bigint;
  capMegabytes: bigint;
}

/** @param alertBytes of each megabyte of the cap: an open connection with more traffic is near it */
export function insertCapWarnings(ctx: Ctx, alertBytes: number, limit: number): Promise<CapWarning[]> {
  return ctx.db.query(
    `with near as (
       select id, user_id, address, used_bytes, cap_megabytes
         from readable_connections as connections
        where status = 'WORK' and cap_megabytes is not null and used_bytes >= cap_megabytes * $1::numeric
          and not exists (select from cap_warnings where connection_id = connections.id
                             and cap_warnings.cap_megabytes >= connections.cap_megabytes)
        limit $2
     ), warned as (
       insert into cap_warnings (connection_id, cap_megabytes) select id, cap_megabytes from near
       on conflict (connection_id) do update set cap_megabytes = excluded.cap_megabytes
         where cap_warnings.cap_megabytes < excluded.cap_megabytes
       returning connection_id
     )
     select connection_id as "connectionId", near.user_id as "userId", host(address) as ip, used_bytes as "usedBytes",
            cap_megabytes as "capMegabytes", email, language_code as "languageCode",
            coalesce(is_mailed, true) as "isMailed"
       from warned
       join near on near.id = connection_id
       join readable_users as users on users.id = near.user_id
       left join alert_settings on alert_settings.user_id = near.user_id`,
    [alertBytes, limit],
  );
}

/** @returns the number of deleted rows, at most `limit` */
export async function deleteEndedWarnings(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from cap_warnings where connection_id in (
       select connection_id from cap_warnings join connections on connections.id = connection_id
        where status <> 'WORK' limit $1
     ) returning connection_id`,
    [limit],
  );
  return rows.length;
}

/** Call it in the transaction that ends the connection. */
export async function insertEnd(
  ctx: Ctx,
  end: { connectionId: string; userId: string; reason: MailedReason; refundMicros: bigint },
): Promise<void> {
  await ctx.db.query(
    'insert into unmailed_ends (connection_id, user_id, reason, refund_micros) values ($1, $2, $3, $4)',
    [end.connectionId, end.userId, end.reason, end.refundMicros],
  );
}

export interface EndsOfUser extends AlertRecipient {
  reason: MailedReason;
  count: number;
  refundMicros: bigint;
  /** The first connection that has ended. */
  connectionId: string;
  ip: string;
}

interface Timing {
  /** Ends of one user wait this long, so that ends with the same cause are in one mail. */
  gatherMs: number;
  /** The interval between two mails to a user for the same reason. */
  intervalMs: number;
  /** An older end is not mailed any more. */
  expiryMs: number;
}

/** Claims the ends to mail now, by user and reason. Two workers never claim the same one. */
export function takeEnds(
  ctx: Ctx,
  { gatherMs, intervalMs, expiryMs }: Timing,
  reasons: readonly MailedReason[],
  limit: number,
): Promise<EndsOfUser[]> {
  return ctx.db.query(
    `with due as (
       select user_id, reason
         from unmailed_ends as ends
        where reason = any($5::text[])
          and not exists (select from end_mails as mailed
                           where mailed.user_id = ends.user_id and mailed.reason = ends.reason
                             and mailed_at > clock_timestamp() - $2 * interval '1 millisecond')
        group by user_id, reason
       having min(ended_at) <= clock_timestamp() - $1 * interval '1 millisecond'
        limit $4
     ), taken as (
       delete from unmailed_ends using due
        where unmailed_ends.user_id = due.user_id and unmailed_ends.reason = due.reason
       returning connection_id, unmailed_ends.user_id, unmailed_ends.reason, refund_micros, ended_at
     ), ends as (
       select user_id, reason, count(*)::int as count, sum(refund_micros)::bigint as refund_micros,
              (array_agg(connection_id order by ended_at, connection_id))[1] as connection_id
         from taken
        where ended_at > clock_timestamp() - $3 * interval '1 millisecond'
        group by user_id, reason
     ), mailed as (
       insert into end_mails (user_id, reason, mailed_at) select user_id, reason, clock_timestamp() from ends
       on conflict (user_id, reason) do update set mailed_at = excluded.mailed_at
     )
     select ends.user_id as "userId", email, language_code as "languageCode", reason, count,
            refund_micros as "refundMicros", connections.id as "connectionId", host(address) as ip,
            coalesce(case reason when 'NO_MONEY' then mails_no_money when 'IDLE' then mails_idle else mails_exit_lost end,
                     true) as "isMailed"
       from ends
       join readable_users as users on users.id = ends.user_id and users.status = 'ACTIVE'
       join readable_connections as connections on connections.id = connection_id
       left join alert_settings on alert_settings.user_id = ends.user_id`,
    [gatherMs, intervalMs, expiryMs, limit, reasons],
  );
}

/** @returns the number of deleted rows, at most `limit` */
export async function deleteOldMails(ctx: Ctx, intervalMs: number, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from end_mails where (user_id, reason) in (
       select user_id, reason from end_mails where mailed_at <= clock_timestamp() - $1 * interval '1 millisecond' limit $2
     ) returning user_id`,
    [intervalMs, limit],
  );
  return rows.length;
}

export interface AlertSettingsRow {
  /** Null: the default threshold. */
  lowBalanceMicros: bigint | null;
  isMailed: boolean;
  mailsNoMoney: boolean;
  mailsIdle: boolean;
  mailsExitLost: boolean;
  mailsNews: boolean;
  mailsTickets: boolean;
  mailsTopUps: boolean;
}

/** Without a row the defaults apply. */
export async function findSettings(ctx: Ctx, userId: string): Promise<AlertSettingsRow | undefined> {
  const [row] = await ctx.db.query<AlertSettingsRow>(
    `select low_balance_micros as "lowBalanceMicros", is_mailed as "isMailed", mails_no_money as "mailsNoMoney",
            mails_idle as "mailsIdle", mails_exit_lost as "mailsExitLost", mails_news as "mailsNews",
            mails_tickets as "mailsTickets", mails_top_ups as "mailsTopUps"
       from alert_settings where user_id = $1`,
    [userId],
  );
  return row;
}

export async function saveSettings(ctx: Ctx, userId: string, settings: AlertSettingsRow): Promise<void> {
  const { lowBalanceMicros, isMailed, mailsNoMoney, mailsIdle, mailsExitLost, mailsNews, mailsTickets, mailsTopUps } =
    settings;
  await ctx.db.query(
    `insert into alert_settings (user_id, low_balance_micros, is_mailed, mails_no_money, mails_idle, mails_exit_lost, mails_news,
                                 mails_tickets, mails_top_ups)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (user_id) do update
       set low_balance_micros = excluded.low_balance_micros, is_mailed = excluded.is_mailed,
           mails_no_money = excluded.mails_no_money, mails_idle = excluded.mails_idle,
           mails_exit_lost = excluded.mails_exit_lost, mails_news = excluded.mails_news,
           mails_tickets = excluded.mails_tickets, mails_top_ups = excluded.mails_top_ups`,
    [userId, lowBalanceMicros, isMailed, mailsNoMoney, mailsIdle, mailsExitLost, mailsNews, mailsTickets, mailsTopUps],
  );
}

export async function forgetWarning(ctx: Ctx, userId: string): Promise<void> {
  await ctx.db.query('delete from low_balance_warnings where user_id = $1', [userId]);
}

/** Marks the user as warned, without an alert, if the balance is below the threshold. */
export async function insertSilentWarning(
  ctx: Ctx,
  { userId, accountId }: Pick<Actor, 'userId' | 'accountId'>,
  thresholdMicros: bigint,
): Promise<void> {
  await ctx.db.query(
    `insert into low_balance_warnings (user_id, threshold_micros, last_credit_id)
     select $1, $3, (select max(id) from readable_transfers
                      where credit_account_id = $2 and megabyte_from is null and reason <> 'REFUND')
       from readable_accounts where id = $2 and balance_micros < $3
     on conflict (user_id) do nothing`,
    [userId, accountId, thresholdMicros],
  );
}
