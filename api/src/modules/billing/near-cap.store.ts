import type { Ctx } from '../../ctx.ts';
import type { AlertRecipient } from './alert-mails.ts';

export interface CapWarning extends AlertRecipient {
  connectionId: string;
  ip: string;
  usedBytes: bigint;
  capMegabytes: bigint;
}

/** @param alertBytes of each megabyte of the cap: an open connection with more traffic is near it */
export function insertWarnings(ctx: Ctx, alertBytes: number, limit: number): Promise<CapWarning[]> {
  return ctx.db.query(
    `with near as (
       select id, user_id, proxy_id, used_bytes, cap_megabytes
         from connections
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
     select connection_id as "connectionId", near.user_id as "userId", host(ip) as ip, used_bytes as "usedBytes",
            cap_megabytes as "capMegabytes", email, language_code as "languageCode",
            coalesce(is_mailed, true) as "isMailed"
       from warned
       join near on near.id = connection_id
       join readable_proxies as proxies on proxies.id = near.proxy_id
       join readable_users as users on users.id = near.user_id
       left join alert_settings on alert_settings.user_id = near.user_id`,
    [alertBytes, limit],
  );
}

/** @returns the number of deleted rows, at most `limit` */
export async function deleteEnded(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from cap_warnings where connection_id in (
       select connection_id from cap_warnings join connections on connections.id = connection_id
        where status <> 'WORK' limit $1
     ) returning connection_id`,
    [limit],
  );
  return rows.length;
}
