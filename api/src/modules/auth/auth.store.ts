import type { LanguageCode } from '@cellhop/contract/schemas';
import type { UserStatus } from '@cellhop/contract/users';
import type { Ctx } from '../../ctx.ts';

export interface Credentials {
  userId: string;
  email: string;
  passwordHash: string;
  languageCode: LanguageCode;
  status: Exclude<UserStatus, 'DELETED'>;
  isEmailConfirmed: boolean;
  hasSecondFactor: boolean;
}

/** Ignores deleted accounts. @param email lower case */
export async function findCredentials(ctx: Ctx, email: string): Promise<Credentials | undefined> {
  const [row] = await ctx.db.query<Credentials>(
    `select id as "userId", email, password_hash as "passwordHash", language_code as "languageCode", status,
            email_confirmed_at is not null as "isEmailConfirmed", second_factor_at is not null as "hasSecondFactor"
       from users where email = $1 and status <> 'DELETED'`,
    [email],
  );
  return row;
}

/** Ignores deleted accounts. */
export async function findCredentialsOfUser(ctx: Ctx, userId: string): Promise<Credentials | undefined> {
  const [row] = await ctx.db.query<Credentials>(
    `select id as "userId", email, password_hash as "passwordHash", language_code as "languageCode", status,
            email_confirmed_at is not null as "isEmailConfirmed", second_factor_at is not null as "hasSecondFactor"
       from users where id = $1 and status <> 'DELETED'`,
    [userId],
  );
  return row;
}

export async function findPasswordHash(ctx: Ctx, userId: string): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ passwordHash: string }>(
    'select password_hash as "passwordHash" from users where id = $1',
    [userId],
  );
  return row?.passwordHash;
}

/** @returns the user's ledger account; undefined if the email was already confirmed */
export async function confirmEmail(ctx: Ctx, userId: string): Promise<bigint | undefined> {
  const [row] = await ctx.db.query<{ accountId: bigint }>(
    `update users set email_confirmed_at = now(), updated_at = now()
      where id = $1 and email_confirmed_at is null returning account_id as "accountId"`,
    [userId],
  );
  return row?.accountId;
}

export async function updatePassword(ctx: Ctx, userId: string, passwordHash: string): Promise<Date> {
  const [row] = await ctx.db.query<{ changedAt: Date }>(
    `update users set password_hash = $2, updated_at = now() where id = $1 returning updated_at as "changedAt"`,
    [userId, passwordHash],
  );
  return row!.changedAt;
}

/** @returns undefined if the password was changed since it was compared */
export async function replacePassword(
  ctx: Ctx,
  userId: string,
  comparedHash: string,
  passwordHash: string,
): Promise<Date | undefined> {
  const [row] = await ctx.db.query<{ changedAt: Date }>(
    `update users set password_hash = $3, updated_at = now()
      where id = $1 and password_hash = $2 returning updated_at as "changedAt"`,
    [userId, comparedHash, passwordHash],
  );
  return row?.changedAt;
}

/** Of all accounts. @returns how many there are */
export async function resetPasswords(ctx: Ctx, passwordHash: string): Promise<number> {
  const rows = await ctx.db.query(
    `update users set password_hash = $1, updated_at = now() where status <> 'DELETED' returning id`,
    [passwordHash],
  );
  return rows.length;
}

/** Confirms the email too, because the operator vouches for it. */
export async function makeAdministrator(ctx: Ctx, userId: string): Promise<void> {
  await ctx.db.query(
    `update users set role_name = 'ADMIN', status = 'ACTIVE', updated_at = now(),
                      email_confirmed_at = coalesce(email_confirmed_at, now())
      where id = $1`,
    [userId],
  );
}

/**
 * Deletes expired rows, at most `limit` of each kind: counters at once, sessions and codes after a month, so that old links can
 * still report their state. Counters and sessions may be renewed concurrently, so their rows are checked again when locked.
 */
export const expiredDeletions: Record<string, (ctx: Ctx, limit: number) => Promise<number>> = {
  'attempt counters': async (ctx, limit) => {
    const rows = await ctx.db.query(
      `with expired as (
         select key from rate_limits where expire < extract(epoch from now()) * 1000 order by expire limit $1
         for update skip locked
       ) delete from rate_limits using expired where rate_limits.key = expired.key returning expired.key`,
      [limit],
    );
    return rows.length;
  },
  'codes without a user': async (ctx, limit) => {
    const rows = await ctx.db.query(
      `delete from mail_codes where id in (
         select id from mail_codes where user_id is null and created_at < now() - interval '2 days'
          order by created_at limit $1
       ) returning id`,
      [limit],
    );
    return rows.length;
  },
  codes: async (ctx, limit) => {
    const rows = await ctx.db.query(
      `delete from mail_codes where id in (
         select id from mail_codes where created_at < now() - interval '30 days' order by created_at limit $1
       ) returning id`,
      [limit],
    );
    return rows.length;
  },
  sessions: async (ctx, limit) => {
    const rows = await ctx.db.query(
      `with expired as (
         select id from sessions where expired_at < now() - interval '30 days' order by expired_at limit $1
         for update skip locked
       ) delete from sessions using expired where sessions.id = expired.id returning expired.id`,
      [limit],
    );
    return rows.length;
  },
};
