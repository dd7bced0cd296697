import type { Permission } from '@cellhop/contract/permissions';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { UserStatus } from '@cellhop/contract/users';
import type { Ctx } from '../../ctx.ts';
import type { Claims } from './tokens.ts';

export interface NewSession {
  userId: string;
  /** The hash that the password was compared with. */
  passwordHash: string;
  refreshTokenHash: Buffer;
  lifetimeMs: number;
}

/**
 * Nothing is inserted if the password has changed or the user was blocked meanwhile. The share lock makes a change of
 * the password wait, so that it sees this session and ends it.
 */
export async function insertSession(
  ctx: Ctx,
  session: NewSession,
): Promise<{ id: string; rotatedAt: Date } | undefined> {
  const [row] = await ctx.db.query<{ id: string; rotatedAt: Date }>(
    `with owner as (
       select id from users where id = $1 and password_hash = $2 and status = 'ACTIVE' for share
     )
     insert into sessions (user_id, refresh_token_hash, expired_at)
     select id, $3::bytea, now() + $4::float8 * interval '1 millisecond' from owner
     returning id, rotated_at as "rotatedAt"`,
    [session.userId, session.passwordHash, session.refreshTokenHash, session.lifetimeMs],
  );
  return row;
}

export interface ActorRow {
  accountId: bigint;
  languageCode: LanguageCode;
  status: UserStatus;
  permissions: Permission[];
}

/** Everything a request needs to know about its user, while the session is open. */
export async function findActor(ctx: Ctx, { userId, sessionId }: Claims): Promise<ActorRow | undefined> {
  const [row] = await ctx.db.query<ActorRow>(
    `select users.account_id as "accountId", users.language_code as "languageCode", users.status, roles.permissions
       from sessions
       join users on users.id = sessions.user_id
       join roles on roles.name = users.role_name
      where sessions.id = $1 and sessions.user_id = $2 and sessions.revoked_at is null and sessions.expired_at > now()`,
    [sessionId, userId],
  );
  return row;
}

export interface SessionRow {
  refreshTokenHash: Buffer;
  previousTokenHash: Buffer | null;
  rotatedAt: Date;
  msSinceRotation: number;
}

/** The open session of an active user, locked: of two refreshes at once the second sees what the first did. */
export async function lockSession(ctx: Ctx, { userId, sessionId }: Claims): Promise<SessionRow | undefined> {
  const [row] = await ctx.db.query<SessionRow>(
    `select sessions.refresh_token_hash as "refreshTokenHash", sessions.previous_token_hash as "previousTokenHash",
            sessions.rotated_at as "rotatedAt",
            (extract(epoch from clock_timestamp() - sessions.rotated_at) * 1000)::float8 as "msSinceRotation"
       from sessions
       join users on users.id = sessions.user_id
      where sessions.id = $1 and sessions.user_id = $2 and sessions.revoked_at is null
        and sessions.expired_at > now() and users.status = 'ACTIVE'
        for no key update of sessions`,
    [sessionId, userId],
  );
  return row;
}

/** @returns the time of the rotation */
export async function rotateSession(
  ctx: Ctx,
  sessionId: string,
  refreshTokenHash: Buffer,
  lifetimeMs: number,
): Promise<Date> {
  const [row] = await ctx.db.query<{ rotatedAt: Date }>(
    `update sessions
        set previous_token_hash = refresh_token_hash, refresh_token_hash = $2, rotated_at = clock_timestamp(),
            expired_at = clock_timestamp() + $3::float8 * interval '1 millisecond'
      where id = $1 returning rotated_at as "rotatedAt"`,
    [sessionId, refreshTokenHash, lifetimeMs],
  );
  return row!.rotatedAt;
}

export async function revokeSession(ctx: Ctx, sessionId: string): Promise<void> {
  await ctx.db.query('update sessions set revoked_at = clock_timestamp() where id = $1 and revoked_at is null', [
    sessionId,
  ]);
}

export async function revokeSessionsOfUser(ctx: Ctx, userId: string): Promise<void> {
  await ctx.db.query('update sessions set revoked_at = clock_timestamp() where user_id = $1 and revoked_at is null', [
    userId,
  ]);
}

export async function listOpenSessions(ctx: Ctx, sessionIds: readonly string[]): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>(
    `select sessions.id from sessions join users on users.id = sessions.user_id
      where sessions.id = any($1::uuid[]) and sessions.revoked_at is null and sessions.expired_at > now()
        and users.status = 'ACTIVE'`,
    [sessionIds],
  );
  return rows.map((row) => row.id);
}
