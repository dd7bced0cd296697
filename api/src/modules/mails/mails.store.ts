import { NOTICE_DAYS } from '@cellhop/contract/limits';
import type { MailKind } from '@cellhop/contract/staff/mails';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { Ctx } from '../../ctx.ts';
import type { SealedMail } from '../../mail/mail-requests.ts';

export interface NewMail {
  id: string;
  /** Null: no account has the address. The same statement then inserts nothing. */
  userId: string | null;
  kind: string;
  languageCode: LanguageCode;
}

export async function insertMail(ctx: Ctx, { id, userId, kind, languageCode }: NewMail): Promise<void> {
  await ctx.db.query(
    `insert into sent_mails (id, user_id, template, language_code)
     select $1::uuid, $2::uuid, $3, $4 where $2::uuid is not null`,
    [id, userId, kind, languageCode],
  );
}

export async function insertUnqueued(ctx: Ctx, mail: SealedMail): Promise<void> {
  await ctx.db.query('insert into unqueued_mails (mail_id, payload) values ($1, $2)', [
    mail.mailId,
    JSON.stringify(mail),
  ]);
}

/** Removes them; others that are being taken are skipped. */
export async function takeUnqueued(ctx: Ctx, limit: number): Promise<SealedMail[]> {
  const rows = await ctx.db.query<{ payload: SealedMail }>(
    `delete from unqueued_mails
      where mail_id in (select mail_id from unqueued_mails order by created_at limit $1 for update skip locked)
     returning payload`,
    [limit],
  );
  return rows.map(({ payload }) => payload);
}

/** A retry after a lost response does not change when the mail was sent first. */
export async function markSent(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.query('update sent_mails set sent_at = coalesce(sent_at, now()) where id = $1', [id]);
}

export async function markFailed(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.query('update sent_mails set failed_at = now() where id = $1', [id]);
}

export async function findSentTime(ctx: Ctx, id: string): Promise<Date | null | undefined> {
  const [row] = await ctx.db.query<{ sentAt: Date | null }>(
    'select sent_at as "sentAt" from sent_mails where id = $1',
    [id],
  );
  return row?.sentAt;
}

export interface MailRow {
  id: string;
  kind: MailKind;
  languageCode: LanguageCode;
  queuedAt: Date;
  sentAt: Date | null;
  failedAt: Date | null;
}

/** The mails to a user, the newest first, without kinds that only a newer release supports. */
export function listMails(
  ctx: Ctx,
  userId: string,
  kinds: readonly MailKind[],
  { limit, offset }: { limit: number; offset: number },
): Promise<MailRow[]> {
  return ctx.db.query(
    `select id, template as kind, language_code as "languageCode", queued_at as "queuedAt", sent_at as "sentAt",
            failed_at as "failedAt"
       from sent_mails where user_id = $1 and template = any($2) order by queued_at desc, id limit $3 offset $4`,
    [userId, kinds, limit, offset],
  );
}

/** Counts at most `limit` mails. */
export async function countMails(ctx: Ctx, userId: string, kinds: readonly MailKind[], limit: number): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count from (
       select from sent_mails where user_id = $1 and template = any($2) limit $3
     ) as listed`,
    [userId, kinds, limit],
  );
  return row!.count;
}

export async function deleteOld(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from sent_mails where id in (
       select id from sent_mails where queued_at < now() - $2 * interval '1 day' order by queued_at limit $1
     ) returning id`,
    [limit, NOTICE_DAYS],
  );
  return rows.length;
}
