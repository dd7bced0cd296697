import type { LanguageCode } from '@cellhop/contract/schemas';
import type { NotificationText } from '@cellhop/contract/staff/notifications';
import type { Ctx } from '../../ctx.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';
import type { AudienceColumns } from './recipients.store.ts';

/** Sanitized HTML. */
export type BroadcastTexts = Record<LanguageCode, NotificationText>;

export interface NewBroadcast extends AudienceColumns {
  texts: BroadcastTexts;
  createdBy: string;
  idempotencyKey: string | null;
  recipientCount: number;
  /** Null: at once. */
  scheduledAt: Date | null;
  isMailed: boolean;
}

export interface BroadcastRow extends AudienceColumns {
  id: string;
  texts: BroadcastTexts;
  createdBy: string | null;
  createdByEmail: string | null;
  createdAt: Date;
  recipientCount: number | null;
  /** The last recipient that was reached, in the order of ids. */
  deliveredUntil: string | null;
  readerCount: number;
  sentAt: Date | null;
  scheduledAt: Date | null;
  /** Null until the delivery begins. */
  startedAt: Date | null;
  cancelledAt: Date | null;
  cancelledBy: string | null;
  cancelledByEmail: string | null;
  isMailed: boolean;
  mailCount: number;
  /** The last reader that was considered for a mail, in the order of ids. */
  mailedUntil: string | null;
  /** Null until the last mail is queued. */
  mailsEndedAt: Date | null;
}

const SELECT_BROADCAST = `
  select broadcasts.id, texts, broadcasts.status, is_confirmed as "isConfirmed",
         broadcasts.language_code as "languageCode", broadcasts.role_name as "roleName",
         balance_from_micros as "balanceFromMicros", balance_below_micros as "balanceBelowMicros",
         user_ids as "userIds", has_open_connection as "hasOpenConnection", registered_from as "registeredFrom",
         registered_before as "registeredBefore", created_by as "createdBy", authors.email as "createdByEmail",
         broadcasts.created_at as "createdAt", recipient_count as "recipientCount",
         delivered_until as "deliveredUntil", reader_count as "readerCount", sent_at as "sentAt",
         scheduled_at as "scheduledAt", started_at as "startedAt", cancelled_at as "cancelledAt",
         cancelled_by as "cancelledBy", cancellers.email as "cancelledByEmail", is_mailed as "isMailed",
         mail_count as "mailCount", mailed_until as "mailedUntil", mails_ended_at as "mailsEndedAt"
    from broadcasts
    left join readable_users as authors on authors.id = created_by
    left join readable_users as cancellers on cancellers.id = cancelled_by`;

/** @returns undefined if the author has already used the key */
export async function insertBroadcast(ctx: Ctx, broadcast: NewBroadcast): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ id: string }>(
    `insert into broadcasts (texts, status, is_confirmed, language_code, role_name, balance_from_micros,
                             balance_below_micros, user_ids, has_open_connection, registered_from, registered_before,
                             created_by, idempotency_key, recipient_count, scheduled_at, is_mailed)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
     on conflict (created_by, idempotency_key) where idempotency_key is not null do nothing returning id`,
    [
      JSON.stringify(broadcast.texts),
      broadcast.status,
      broadcast.isConfirmed,
      broadcast.languageCode,
      broadcast.roleName,
      broadcast.balanceFromMicros,
      broadcast.balanceBelowMicros,
      broadcast.userIds,
      broadcast.hasOpenConnection,
      broadcast.registeredFrom,
      broadcast.registeredBefore,
      broadcast.createdBy,
      broadcast.idempotencyKey,
      broadcast.recipientCount,
      broadcast.scheduledAt,
      broadcast.isMailed,
    ],
  );
  return row?.id;
}

export async function findBroadcast(ctx: Ctx, id: string): Promise<BroadcastRow | undefined> {
  const [row] = await ctx.db.query<BroadcastRow>(`${SELECT_BROADCAST} where broadcasts.id = $1`, [id]);
  return row;
}

/** Whoever begins, cancels or mails it takes this lock. Notifications refer to the row, so it is one that they do not wait for. */
export async function lockBroadcast(ctx: Ctx, id: string): Promise<BroadcastRow | undefined> {
  const [row] = await ctx.db.query<BroadcastRow>(
    `${SELECT_BROADCAST} where broadcasts.id = $1 for no key update of broadcasts`,
    [id],
  );
  return row;
}

/** The oldest delivered one whose mails are not all queued, unless another process has locked it. */
export async function lockNextToMail(ctx: Ctx): Promise<BroadcastRow | undefined> {
  const [row] = await ctx.db.query<BroadcastRow>(
    `${SELECT_BROADCAST} where is_mailed and sent_at is not null and mails_ended_at is null
      order by broadcasts.created_at limit 1 for no key update of broadcasts skip locked`,
  );
  return row;
}

/** Serializes the scheduling until the end of the transaction, so that the limit holds. @returns how many wait */
export async function lockAndCountScheduled(ctx: Ctx): Promise<number> {
  await ctx.db.query(`select pg_advisory_xact_lock(hashtext('scheduled broadcasts'))`);
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count from broadcasts
      where scheduled_at is not null and started_at is null and cancelled_at is null`,
  );
  return row!.count;
}

export async function findByKey(ctx: Ctx, createdBy: string, key: string | null): Promise<BroadcastRow | undefined> {
  const [row] = await ctx.db.query<BroadcastRow>(`${SELECT_BROADCAST} where created_by = $1 and idempotency_key = $2`, [
    createdBy,
    key,
  ]);
  return row;
}

export function listBroadcasts(ctx: Ctx, page: PageQuery): Promise<BroadcastRow[]> {
  return ctx.db.query(`${SELECT_BROADCAST} order by broadcasts.created_at desc, broadcasts.id limit $1 offset $2`, [
    page.size,
    toOffset(page),
  ]);
}

export async function countBroadcasts(ctx: Ctx, limit: number): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count from (select from broadcasts limit $1) as listed`,
    [limit],
  );
  return row!.count;
}

export async function saveSent(ctx: Ctx, broadcastId: string): Promise<void> {
  await ctx.db.query('update broadcasts set sent_at = now() where id = $1', [broadcastId]);
}

/** @param recipientCount counted again, because a scheduled broadcast reaches those who match when it begins */
export async function saveStarted(ctx: Ctx, id: string, recipientCount: number): Promise<void> {
  await ctx.db.query('update broadcasts set started_at = now(), recipient_count = $2 where id = $1', [
    id,
    recipientCount,
  ]);
}

/** Its mails end too. @param by null: the program */
export async function saveCancelled(ctx: Ctx, id: string, by: string | null): Promise<void> {
  await ctx.db.query(
    'update broadcasts set cancelled_at = now(), cancelled_by = $2, mails_ended_at = now() where id = $1',
    [id, by],
  );
}

export interface Mailed {
  /** Mails that were queued with this batch. */
  count: number;
  /** The last reader of the batch. */
  until: string | null;
  isLast: boolean;
}

export async function saveMailed(ctx: Ctx, id: string, { count, until, isLast }: Mailed): Promise<void> {
  await ctx.db.query(
    `update broadcasts
        set mail_count = mail_count + $2, mailed_until = coalesce($3::uuid, mailed_until),
            mails_ended_at = case when $4 then now() end
      where id = $1`,
    [id, count, until, isLast],
  );
}
