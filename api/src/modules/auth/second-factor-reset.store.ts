import type { LanguageCode } from '@cellhop/contract/schemas';
import type { Ctx } from '../../ctx.ts';

export interface NewReset {
  userId: string;
  authorId: string;
  codeHash: Buffer;
  mailId: string;
  dueAt: Date;
}

export async function insertReset(ctx: Ctx, { userId, authorId, codeHash, mailId, dueAt }: NewReset): Promise<void> {
  await ctx.db.query(
    `insert into second_factor_resets (user_id, author_id, code_hash, mail_id, last_step, due_at)
     select $1, $2, $3, $4, last_step, $5 from second_factors where user_id = $1`,
    [userId, authorId, codeHash, mailId, dueAt],
  );
}

export async function findDueTime(ctx: Ctx, userId: string): Promise<Date | undefined> {
  const [row] = await ctx.db.query<{ dueAt: Date }>(
    'select due_at as "dueAt" from second_factor_resets where user_id = $1',
    [userId],
  );
  return row?.dueAt;
}

export async function findLanguage(ctx: Ctx, codeHash: Buffer): Promise<LanguageCode | undefined> {
  const [row] = await ctx.db.query<{ languageCode: LanguageCode }>(
    `select language_code as "languageCode" from second_factor_resets join users on users.id = user_id
      where code_hash = $1`,
    [codeHash],
  );
  return row?.languageCode;
}

/** Each criterion is optional. @returns the users whose resets were deleted */
export async function deleteResets(
  ctx: Ctx,
  { userId, authorId, codeHash }: { userId?: string; authorId?: string; codeHash?: Buffer },
): Promise<string[]> {
  const rows = await ctx.db.query<{ userId: string }>(
    `delete from second_factor_resets where user_id = $1 or author_id = $2 or code_hash = $3
     returning user_id as "userId"`,
    [userId ?? null, authorId ?? null, codeHash ?? null],
  );
  return rows.map((row) => row.userId);
}

export async function listDue(ctx: Ctx): Promise<string[]> {
  const rows = await ctx.db.query<{ userId: string }>(
    'select user_id as "userId" from second_factor_resets where due_at <= now() order by due_at limit 100',
  );
  return rows.map((row) => row.userId);
}

export async function postpone(ctx: Ctx, userId: string, dueAt: Date): Promise<void> {
  await ctx.db.query('update second_factor_resets set due_at = $2 where user_id = $1', [userId, dueAt]);
}

export interface DueReset {
  authorId: string;
  mailId: string;
  /** By a code of the app or a recovery code, since the request. */
  isFactorUsed: boolean;
}

/** Locks the factor first, as the use of a code does. @returns undefined if it was stopped meanwhile */
export async function lockReset(ctx: Ctx, userId: string): Promise<DueReset | undefined> {
  await ctx.db.query('select from second_factors where user_id = $1 for update', [userId]);
  const [row] = await ctx.db.query<DueReset>(
    `select author_id as "authorId", mail_id as "mailId",
            not exists (
              select from second_factors where second_factors.user_id = resets.user_id
                 and second_factors.last_step = resets.last_step
            ) or exists (
              select from recovery_codes where recovery_codes.user_id = resets.user_id and used_at >= requested_at
            ) as "isFactorUsed"
       from second_factor_resets as resets where user_id = $1 for update`,
    [userId],
  );
  return row;
}
