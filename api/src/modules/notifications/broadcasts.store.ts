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
}

const SELECT_BROADCAST = `
  select broadcasts.id, texts, broadcasts.status, is_confirmed as "isConfirmed",
         broadcasts.language_code as "languageCode", broadcasts.role_name as "roleName",
         balance_from_micros as "balanceFromMicros", balance_below_micros as "balanceBelowMicros",
         user_ids as "userIds", has_open_connection as "hasOpenConnection", registered_from as "registeredFrom",
         registered_before as "registeredBefore", created_by as "createdBy", email as "createdByEmail",
         broadcasts.created_at as "createdAt", recipient_count as "recipientCount",
         delivered_until as "deliveredUntil", reader_count as "readerCount", sent_at as "sentAt"
    from broadcasts left join readable_users as users on users.id = created_by`;

/** @returns undefined if the author has already used the key */
export async function insertBroadcast(ctx: Ctx, broadcast: NewBroadcast): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ id: string }>(
    `insert into broadcasts (texts, status, is_confirmed, language_code, role_name, balance_from_micros,
                             balance_below_micros, user_ids, has_open_connection, registered_from, registered_before,
                             created_by, idempotency_key, recipient_count)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
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
    ],
  );
  return row?.id;
}

export async function findBroadcast(ctx: Ctx, id: string): Promise<BroadcastRow | undefined> {
  const [row] = await ctx.db.query<BroadcastRow>(`${SELECT_BROADCAST} where broadcasts.id = $1`, [id]);
  return row;
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
