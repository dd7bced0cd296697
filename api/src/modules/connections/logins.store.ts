import type { EndReason } from '@cellhop/contract/connections';
import type { Exit } from '@cellhop/contract/gateway';
import type { Ctx } from '../../ctx.ts';

export interface LoginRow {
  connectionId: string;
  passwordHash: Buffer;
  exit: Exit;
  passwordRevision: number;
  /** Null: the connection is open, and nobody has asked for its end. */
  endReason: EndReason | null;
}

/** Of a connection that is open, or has ended within so many hours. Those of blocked users end. */
export async function findLogin(ctx: Ctx, username: string, endedHours: number): Promise<LoginRow | undefined> {
  const [row] = await ctx.db.query<LoginRow>(
    `select connections.id as "connectionId", password_hash as "passwordHash", exit,
            password_revision as "passwordRevision",
            coalesce(end_reason::text, ending_reason::text, case when users.status <> 'ACTIVE' then 'ADMIN' end) as "endReason"
       from connection_credentials as credentials
       join readable_connections as connections on connections.id = credentials.id
       join readable_proxies as proxies on proxies.id = proxy_id
       join readable_users as users on users.id = user_id
      where username = $1 and (ended_at is null or ended_at > now() - $2 * interval '1 hour')`,
    [username, endedHours],
  );
  return row;
}

/** Of open connections that list the address, two at most. */
export function findLoginsByAddress(
  ctx: Ctx,
  address: string,
): Promise<Pick<LoginRow, 'connectionId' | 'exit' | 'passwordRevision'>[]> {
  return ctx.db.query(
    `select connections.id as "connectionId", exit, password_revision as "passwordRevision"
       from (select distinct connection_id from allowed_networks where network >>= $1::inet) as listed
       join readable_connections as connections on connections.id = connection_id
       join readable_proxies as proxies on proxies.id = proxy_id
       join readable_users as users on users.id = user_id
      where connections.status = 'WORK' and ending_at is null and users.status = 'ACTIVE' limit 2`,
    [address],
  );
}
