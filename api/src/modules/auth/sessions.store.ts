import type { Permission } from '@cellhop/contract/permissions';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { UserStatus } from '@cellhop/contract/users';
import type { Ctx } from '../../ctx.ts';
import type { NextToken, RefreshState } from './refresh-tokens.ts';
import type { Claims } from './tokens.ts';

/**
 * Sessions of staff end twelve hours after the sign-in, however often they are refreshed. `roles` is the role that the user has now.
 */
const IS_WITHIN_STAFF_LIFETIME = `(roles.permissions = '{}' or sessions.created_at > now() - interval '12 hours')`;

export interface NewSession {
  id: string;
  userId: string;
  /** The hash that the password was compared with. */
  passwordHash: string;
  /** Whether a code was required at sign-in. */
  hasSecondFactor: boolean;
  refreshToken: NextToken;
  lifetimeMs: number;
  ip: string | null;
  device: string;
}

/**
 * Inserts nothing if the password or the second factor was changed, or the user blocked, since the check. The share lock makes
 * such a change wait, so that it sees this session and ends it.
 */
export async function insertSession(ctx: Ctx, session: NewSession): Promise<{ rotatedAt: Date } | undefined> {
  const [row] = await ctx.db.query<{ rotatedAt: Date }>(
    `with owner as (
       select id from users
        where id = $1 and password_hash = $2 and (second_factor_at is not null) = $3 and status = 'ACTIVE' for share
     )
     insert into sessions (user_id, refresh_token_hash, expired_at, ip, device, id, generation, refresh_salt)
     select id, $4::bytea, now() + $5::float8 * interval '1 millisecond', $6::inet, $7, $8::uuid, $9::integer, $10::bytea from owner
     returning rotated_at as "rotatedAt"`,
    [
      session.userId,
      session.passwordHash,
      session.hasSecondFactor,
      session.refreshToken.hash,
      session.lifetimeMs,
      session.ip,
      session.device,
      session.id,
      session.refreshToken.generation,
      session.refreshToken.salt,
    ],
  );
  return row;
}

export interface ActorRow {
  accountId: bigint;
  languageCode: LanguageCode;
  status: UserStatus;
  permissions: Permission[];
  hasSecondFactor: boolean;
}

/** The user of a request, if the session is open. */
export async function findActor(ctx: Ctx, { userId, sessionId }: Claims): Promise<ActorRow | undefined> {
  const [row] = await ctx.db.query<ActorRow>(
    `select users.account_id as "accountId", users.language_code as "languageCode", users.status, roles.permissions,
            users.second_factor_at is not null as "hasSecondFactor"
       from sessions
       join users on users.id = sessions.user_id
       join roles on roles.name = users.role_name
      where sessions.id = $1 and sessions.user_id = $2 and sessions.revoked_at is null and sessions.expired_at > now()
        and ${IS_WITHIN_STAFF_LIFETIME}`,
    [sessionId, userId],
  );
  return row;
}

export interface SessionRow extends RefreshState {
  status: UserStatus;
  rotatedAt: Date;
  msSinceRotation: number;
}

const SELECT_SESSION = `
  select sessions.id as "sessionId", sessions.generation, sessions.refresh_salt as "refreshSalt",
         sessions.refresh_token_hash as "refreshTokenHash", sessions.previous_token_hash as "previousTokenHash",
         users.status, sessions.rotated_at as "rotatedAt",
         (extract(epoch from clock_timestamp() - sessions.rotated_at) * 1000)::float8 as "msSinceRotation"
    from sessions
    join users on users.id = sessions.user_id
    join roles on roles.name = users.role_name
   where sessions.id = $1 and sessions.user_id = $2 and sessions.revoked_at is null
     and sessions.expired_at > now() and users.status <> 'DELETED' and ${IS_WITHIN_STAFF_LIFETIME}`;

/** The open session of a user. */
export async function findSession(ctx: Ctx, { userId, sessionId }: Claims): Promise<SessionRow | undefined> {
  const [row] = await ctx.db.query<SessionRow>(SELECT_SESSION, [sessionId, userId]);
  return row;
}

/** Also locks the session, which serializes concurrent refreshes. */
export async function lockSession(ctx: Ctx, { userId, sessionId }: Claims): Promise<SessionRow | undefined> {
  const [row] = await ctx.db.query<SessionRow>(`${SELECT_SESSION} for no key update of sessions`, [sessionId, userId]);
  return row;
}

/** @returns the time of the rotation */
export async function rotateSession(
  ctx: Ctx,
  sessionId: string,
  next: NextToken,
  lifetimeMs: number,
  ip: string | null,
): Promise<Date> {
  const [row] = await ctx.db.query<{ rotatedAt: Date }>(
    `update sessions
        set previous_token_hash = refresh_token_hash, refresh_token_hash = $2, rotated_at = clock_timestamp(),
            expired_at = clock_timestamp() + $3::float8 * interval '1 millisecond', ip = $4,
            generation = $5
      where id = $1 returning rotated_at as "rotatedAt"`,
    [sessionId, next.hash, lifetimeMs, ip, next.generation],
  );
  return row!.rotatedAt;
}

export interface ListedSessionRow {
  id: string;
  device: string;
  ip: string | null;
  createdAt: Date;
  /** The last token refresh; clients refresh at least every 15 minutes. */
  usedAt: Date;
}

/** Open sessions, most recently used first. */
export function listSessionsOfUser(ctx: Ctx, userId: string, limit: number): Promise<ListedSessionRow[]> {
  return ctx.db.query<ListedSessionRow>(
    `select sessions.id, device, host(ip) as ip, sessions.created_at as "createdAt", rotated_at as "usedAt"
       from sessions
       join users on users.id = sessions.user_id
       join roles on roles.name = users.role_name
      where user_id = $1 and revoked_at is null and expired_at > now() and ${IS_WITHIN_STAFF_LIFETIME}
      order by rotated_at desc, sessions.id limit $2`,
    [userId, limit],
  );
}

/** @returns false if it was not an open session of this user */
export async function revokeSession(ctx: Ctx, { userId, sessionId }: Claims): Promise<boolean> {
  const rows = await ctx.db.query(
    `update sessions set revoked_at = clock_timestamp()
      where id = $1 and user_id = $2 and revoked_at is null and expired_at > now() returning id`,
    [sessionId, userId],
  );
  ctx.changed({ userId }, 'session');
  return rows.length > 0;
}

/** @returns the number of ended sessions */
export async function revokeSessionsOfUser(ctx: Ctx, userId: string, exceptSessionId?: string): Promise<number> {
  const rows = await ctx.db.query(
    `update sessions set revoked_at = clock_timestamp()
      where user_id = $1 and revoked_at is null and expired_at > now() and id is distinct from $2 returning id`,
    [userId, exceptSessionId ?? null],
  );
  ctx.changed({ userId }, 'session');
  return rows.length;
}

/** By the time of the last refresh; null: any. @returns the number of ended sessions */
export async function revokeSessionsRefreshed(ctx: Ctx, from: Date | null, until: Date | null): Promise<number> {
  const rows = await ctx.db.query<{ userId: string }>(
    `update sessions set revoked_at = clock_timestamp()
      where revoked_at is null and expired_at > now()
        and ($1::timestamptz is null or rotated_at >= $1) and ($2::timestamptz is null or rotated_at <= $2)
     returning user_id as "userId"`,
    [from, until],
  );
  for (const userId of new Set(rows.map((row) => row.userId))) ctx.changed({ userId }, 'session');
  return rows.length;
}

/** @returns those of the sessions that are open and whose users are active */
export async function filterOpenSessions(ctx: Ctx, sessionIds: readonly string[]): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>(
    `select sessions.id from sessions
       join users on users.id = sessions.user_id
       join roles on roles.name = users.role_name
      where sessions.id = any($1::uuid[]) and sessions.revoked_at is null and sessions.expired_at > now()
        and users.status = 'ACTIVE' and ${IS_WITHIN_STAFF_LIFETIME}`,
    [sessionIds],
  );
  return rows.map((row) => row.id);
}
