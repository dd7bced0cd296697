/** The users whom a broadcast reaches. */
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { Audience } from '@cellhop/contract/staff/notifications';
import type { Ctx } from '../../ctx.ts';

/** Null: no restriction, except that the defaults are active and confirmed users. */
export interface AudienceColumns {
  status: NonNullable<Audience['status']> | null;
  isConfirmed: boolean | null;
  languageCode: LanguageCode | null;
  roleName: string | null;
  balanceFromMicros: bigint | null;
  balanceBelowMicros: bigint | null;
  userIds: readonly string[] | null;
  hasOpenConnection: boolean | null;
  registeredFrom: Date | null;
  registeredBefore: Date | null;
}

/** Parameters 1 to 10. Filters that are not set vanish when the statement is planned. */
const MATCHES = `users.status = coalesce($1, 'ACTIVE')
      and (users.email_confirmed_at is not null) = coalesce($2::boolean, true)
      and ($3::text is null or users.language_code = $3)
      and ($4::text is null or users.role_name = $4)
      and ($5::bigint is null or $5 <= (select balance_micros from readable_accounts as accounts where accounts.id = account_id))
      and ($6::bigint is null or $6 > (select balance_micros from readable_accounts as accounts where accounts.id = account_id))
      and ($7::uuid[] is null or users.id = any($7))
      and ($8::boolean is distinct from true or ${hasOpenConnection()})
      and ($8::boolean is distinct from false or not ${hasOpenConnection()})
      and ($9::timestamptz is null or users.created_at >= $9)
      and ($10::timestamptz is null or users.created_at < $10)`;

function hasOpenConnection(): string {
  return `exists (select from readable_connections as connections
                where connections.user_id = users.id and connections.status = 'WORK')`;
}

function toParameters(audience: AudienceColumns): unknown[] {
  return [
    audience.status,
    audience.isConfirmed,
    audience.languageCode,
    audience.roleName,
    audience.balanceFromMicros,
    audience.balanceBelowMicros,
    audience.userIds,
    audience.hasOpenConnection,
    audience.registeredFrom,
    audience.registeredBefore,
  ];
}

/** Planned for each filter: a common plan would read all users. */
const planned = { isPrepared: false };

/** @returns at most `limit` */
export async function countRecipients(ctx: Ctx, audience: AudienceColumns, limit: number): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count
       from (select from readable_users as users where ${MATCHES} limit $11) as recipients`,
    [...toParameters(audience), limit],
    planned,
  );
  return row!.count;
}

/** @returns how many of these users exist */
export async function countUsers(ctx: Ctx, ids: readonly string[]): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    'select count(*)::int as count from readable_users where id = any($1::uuid[])',
    [ids],
  );
  return row!.count;
}

interface Batch {
  broadcastId: string;
  audience: AudienceColumns;
  /** The last recipient of the batch before; null for the first batch. */
  after: string | null;
  limit: number;
}

/**
 * Delivers the broadcast to the next recipients in the order of their ids, once to each, and saves how far it is, all in one
 * statement: an interruption loses nothing and repeats nothing.
 * @returns the ids of this batch
 */
export async function insertForRecipients(ctx: Ctx, { broadcastId, audience, after, limit }: Batch): Promise<string[]> {
  const rows = await ctx.db.query<{ userId: string }>(
    `with recipients as (
       select users.id from readable_users as users
        where ${MATCHES} and ($11::uuid is null or users.id > $11)
        order by users.id limit $12
     ), delivered as (
       insert into notifications (user_id, idempotency_key, kind, details, broadcast_id)
       select id, 'broadcast:' || $13::text, 'BROADCAST', '{}', $13::uuid from recipients
       on conflict (user_id, idempotency_key) do nothing returning id
     ), saved as (
       update broadcasts
          set reader_count = reader_count + (select count(*) from delivered),
              delivered_until = coalesce((select id from recipients order by id desc limit 1), delivered_until)
        where id = $13::uuid
     )
     select id as "userId" from recipients order by id`,
    [...toParameters(audience), after, limit, broadcastId],
    planned,
  );
  return rows.map((row) => row.userId);
}

export interface MailReader {
  id: string;
  email: string;
  languageCode: LanguageCode;
  /** False for those who have switched it off, and for addresses that are blocked or not confirmed. */
  isMailable: boolean;
}

/** The next readers of a delivered broadcast in the order of their ids. @param after null: from the first */
export function listMailReaders(
  ctx: Ctx,
  broadcastId: string,
  after: string | null,
  limit: number,
): Promise<MailReader[]> {
  return ctx.db.query(
    `select users.id, email, language_code as "languageCode",
            status = 'ACTIVE' and email_confirmed_at is not null and coalesce(mails_news, true) as "isMailable"
       from (select user_id from notifications
              where broadcast_id = $1 and ($2::uuid is null or user_id > $2) order by user_id limit $3) as readers
       join readable_users as users on users.id = readers.user_id
       left join readable_alert_settings as settings on settings.user_id = readers.user_id
      order by users.id`,
    [broadcastId, after, limit],
  );
}
