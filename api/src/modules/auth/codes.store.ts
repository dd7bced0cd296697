import type { LanguageCode } from '@cellhop/contract/schemas';
import type { UserStatus } from '@cellhop/contract/users';
import type { Ctx } from '../../ctx.ts';

export type Purpose = 'CONFIRM_EMAIL' | 'RECOVER_PASSWORD';

/** Serializes mails to one address, whether it has an account or not. */
export async function lockSendings(ctx: Ctx, emailHash: Buffer, purpose: Purpose): Promise<void> {
  await ctx.db.query(`select pg_advisory_xact_lock(hashtextextended(encode($1::bytea, 'hex') || $2, 0))`, [
    emailHash,
    purpose,
  ]);
}

/** How many milliseconds ago mails were sent, newest first; as many as the resend policy needs. */
export async function listSendingAges(ctx: Ctx, emailHash: Buffer, purpose: Purpose): Promise<number[]> {
  const rows = await ctx.db.query<{ ageMs: number }>(
    `select greatest(0, extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as "ageMs"
       from mail_codes where email_hash = $1 and purpose = $2 order by created_at desc limit 10`,
    [emailHash, purpose],
  );
  return rows.map((row) => row.ageMs);
}

export interface NewCode {
  /** Null for an address without an account; then the code is not sent. */
  userId: string | null;
  emailHash: Buffer;
  purpose: Purpose;
  codeHash: Buffer;
  lifetimeMs: number;
  /** Of the browser that signs up; null: that of the user's last code. */
  browserHash: Buffer | null;
}

export async function insertCode(ctx: Ctx, code: NewCode): Promise<string> {
  const [row] = await ctx.db.query<{ id: string }>(
    `insert into mail_codes (user_id, email_hash, purpose, code_hash, expired_at, browser_hash)
     values ($1, $2, $3, $4, now() + $5::float8 * interval '1 millisecond', coalesce($6::bytea, (
              select browser_hash from mail_codes
               where user_id = $1 and purpose = $3 and used_at is null order by created_at desc limit 1)))
     returning id`,
    [code.userId, code.emailHash, code.purpose, code.codeHash, code.lifetimeMs, code.browserHash],
  );
  return row!.id;
}

export interface CodeRow {
  id: string;
  userId: string;
  email: string;
  languageCode: LanguageCode;
  status: UserStatus;
  isEmailConfirmed: boolean;
  isUsed: boolean;
  isExpired: boolean;
  /** Null if the code starts no session, or has done so. */
  browserHash: Buffer | null;
}

/** Locks the user of the code, so that concurrent uses of their codes are serialized. */
export async function lockOwner(ctx: Ctx, codeHash: Buffer, purpose: Purpose): Promise<void> {
  await ctx.db.query(
    `select from users
      where id = (select user_id from mail_codes where code_hash = $1 and purpose = $2)
        for no key update`,
    [codeHash, purpose],
  );
}

export async function findCode(ctx: Ctx, codeHash: Buffer, purpose: Purpose): Promise<CodeRow | undefined> {
  const [row] = await ctx.db.query<CodeRow>(
    `select mail_codes.id, users.id as "userId", users.email, users.language_code as "languageCode", users.status,
            users.email_confirmed_at is not null as "isEmailConfirmed", mail_codes.browser_hash as "browserHash",
            mail_codes.used_at is not null as "isUsed", mail_codes.expired_at <= now() as "isExpired"
       from mail_codes join users on users.id = mail_codes.user_id
      where mail_codes.code_hash = $1 and mail_codes.purpose = $2`,
    [codeHash, purpose],
  );
  return row;
}

export interface SendingRow {
  emailHash: Buffer;
  isUsed: boolean;
  isExpired: boolean;
  /** All null for an address without an account. */
  userId: string | null;
  email: string | null;
  languageCode: LanguageCode | null;
  status: UserStatus | null;
}

export async function findSending(ctx: Ctx, id: string, purpose: Purpose): Promise<SendingRow | undefined> {
  const [row] = await ctx.db.query<SendingRow>(
    `select mail_codes.email_hash as "emailHash", mail_codes.used_at is not null as "isUsed",
            mail_codes.expired_at <= now() as "isExpired",
            users.id as "userId", users.email, users.language_code as "languageCode", users.status
       from mail_codes left join users on users.id = mail_codes.user_id
      where mail_codes.id = $1 and mail_codes.purpose = $2`,
    [id, purpose],
  );
  return row;
}

/**
 * Marks all codes of the user for this purpose as used, and forgets the browser of the sign-up.
 * @param keptCodeId the code that may still sign in there
 */
export async function spendCodes(ctx: Ctx, userId: string, purpose: Purpose, keptCodeId?: string): Promise<void> {
  await ctx.db.query(
    `update mail_codes
        set used_at = now(), browser_hash = case when id = $3 then browser_hash end
      where user_id = $1 and purpose = $2 and used_at is null`,
    [userId, purpose, keptCodeId ?? null],
  );
}

/** After this no code for the address signs in any more. */
export async function forgetBrowsers(ctx: Ctx, emailHash: Buffer): Promise<void> {
  await ctx.db.query(
    `update mail_codes set browser_hash = null
      where email_hash = $1 and purpose = 'CONFIRM_EMAIL' and browser_hash is not null`,
    [emailHash],
  );
}

/** A code that has just confirmed an address, in the browser that has the secret: once. @returns its user */
export async function takeBrowser(ctx: Ctx, codeId: string, browserHash: Buffer): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ userId: string }>(
    `update mail_codes set browser_hash = null
      where id = $1 and browser_hash = $2 and purpose = 'CONFIRM_EMAIL' and used_at > now() - interval '5 minutes'
     returning user_id as "userId"`,
    [codeId, browserHash],
  );
  return row?.userId;
}
