import type { Ctx } from '../../ctx.ts';
import type { AlertRecipient } from './alert-mails.ts';
import type { MailedReason } from './end-mails.ts';

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
            refund_micros as "refundMicros", connections.id as "connectionId", host(ip) as ip,
            coalesce(case reason when 'NO_MONEY' then mails_no_money when 'IDLE' then mails_idle else mails_exit_lost end,
                     true) as "isMailed"
       from ends
       join readable_users as users on users.id = ends.user_id and users.status = 'ACTIVE'
       join connections on connections.id = connection_id
       join readable_proxies as proxies on proxies.id = connections.proxy_id
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
