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
}

export async function insertCode(ctx: Ctx, code: NewCode): Promise<string> {
  const [row] = await ctx.db.query<{ id: string }>(
    `insert into mail_codes (user_id, email_hash, purpose, code_hash, expired_at)
     values ($1, $2, $3, $4, now() + $5::float8 * interval '1 millisecond') returning id`,
    [code.userId, code.emailHash, code.purpose, code.codeHash, code.lifetimeMs],
  );
  return row!.id;
}

export interface CodeRow {
  userId: string;
  email: string;
  languageCode: LanguageCode;
  status: UserStatus;
  isEmailConfirmed: boolean;
  isUsed: boolean;
  isExpired: boolean;
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
    `select users.id as "userId", users.email, users.language_code as "languageCode", users.status,
            users.email_confirmed_at is not null as "isEmailConfirmed",
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

/** Marks all codes of the user for this purpose as used. */
export async function spendCodes(ctx: Ctx, userId: string, purpose: Purpose): Promise<void> {
  await ctx.db.query('update mail_codes set used_at = now() where user_id = $1 and purpose = $2 and used_at is null', [
    userId,
    purpose,
  ]);
}
