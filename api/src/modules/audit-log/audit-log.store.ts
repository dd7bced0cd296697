import { ADDRESS_DAYS } from '@cellhop/contract/limits';
import type { Ctx } from '../../ctx.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';

export interface NewEntry {
  action: string;
  actorId: string | null;
  subjectType: string | null;
  subjectId: string | null;
  /** The affected user, such as the payer of an invoice. */
  userId: string | null;
  ip: string | null;
  device: string | null;
  requestId: string | null;
  details: object;
}

export async function insertEntry(ctx: Ctx, entry: NewEntry): Promise<void> {
  await ctx.db.query(
    `insert into audit_log (action, actor_id, subject_type, subject_id, user_id, ip, device, request_id, details)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      entry.action,
      entry.actorId,
      entry.subjectType,
      entry.subjectId,
      entry.userId,
      entry.ip,
      entry.device,
      entry.requestId,
      JSON.stringify(entry.details),
    ],
  );
}

export async function deleteOld(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from audit_log where id in (
       select id from audit_log where created_at <= now() - $2 * interval '1 day' order by created_at limit $1
     ) returning id`,
    [limit, ADDRESS_DAYS],
  );
  return rows.length;
}

export interface EntryRow {
  id: bigint;
  createdAt: Date;
  action: string;
  actorId: string | null;
  actorEmail: string | null;
  userId: string | null;
  userEmail: string | null;
  subjectType: string | null;
  subjectId: string | null;
  ip: string | null;
  device: string | null;
  requestId: string | null;
  details: Record<string, unknown>;
}

/** Null: any. */
export interface EntryFilter {
  actorId: string | null;
  actions: readonly string[] | null;
  subjectType: string | null;
  subjectId: string | null;
  userId: string | null;
  from: Date | null;
  to: Date | null;
}

/**
 * Ids are in the order of the times, apart from entries that were written at the same moment. So a range of times is also a range of
 * ids, found by the index of the times, and the list reads the index of the ids or of the chosen column.
 */
const CONDITION = `
  ($1::uuid is null or actor_id = $1) and ($5::uuid is null or user_id = $5)
  and ($3::text is null or subject_type = $3) and ($4::uuid is null or subject_id = $4)
  and ($6::timestamptz is null or (created_at >= $6 and id >= (
        select id from audit_log where created_at >= $6::timestamptz - interval '1 hour' order by created_at limit 1)))
  and ($7::timestamptz is null or (created_at < $7 and id <= (
        select id from audit_log where created_at < $7::timestamptz + interval '1 hour' order by created_at desc limit 1)))`;

function toCondition({ actions }: EntryFilter): string {
  // With a single action, one index has the order of the list.
  const ofActions =
    actions?.length === 1 ? 'action = ($2::text[])[1]' : '($2::text[] is null or action = any($2::text[]))';
  return `${CONDITION} and ${ofActions}`;
}

/** Newest first. Not prepared: the plan depends on which filters are set. */
export function listEntries(ctx: Ctx, filter: EntryFilter, page: PageQuery): Promise<EntryRow[]> {
  return ctx.db.query(
    `select entry.id, entry.created_at as "createdAt", action, actor_id as "actorId", actor.email as "actorEmail",
            concerned.id as "userId", concerned.email as "userEmail", subject_type as "subjectType", subject_id as "subjectId",
            host(ip) as ip, device, request_id as "requestId", details
       from (select id from audit_log where ${toCondition(filter)} order by id desc limit $8 offset $9) as page
       join audit_log as entry using (id)
       left join readable_users as actor on actor.id = actor_id
       left join readable_users as concerned on concerned.id = user_id
      order by entry.id desc`,
    [...toValues(filter), page.size, toOffset(page)],
    { isPrepared: false },
  );
}

export async function countEntries(ctx: Ctx, filter: EntryFilter, limit: number): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count from (select from audit_log where ${toCondition(filter)} limit $8) as listed`,
    [...toValues(filter), limit],
    { isPrepared: false },
  );
  return row!.count;
}

export async function findUserByEmail(ctx: Ctx, email: string): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ id: string }>('select id from readable_users where email = lower($1)', [email]);
  return row?.id;
}

function toValues({ actorId, actions, subjectType, subjectId, userId, from, to }: EntryFilter): unknown[] {
  return [actorId, actions, subjectType, subjectId, userId, from, to];
}

interface SignInRow {
  userId: string;
  /** Of their last sign-in from the address. */
  signedInAt: Date;
}

/** A crowd behind one address has more sign-ins: only the last ones are read. */
const SIGN_INS_MAX = 1000;

/** @param before undefined: until now @returns who has signed in from an address, the last ones first */
export function listSignInsFrom(ctx: Ctx, ip: string, before: string | undefined, limit: number): Promise<SignInRow[]> {
  return ctx.db.query(
    `select "userId", max(created_at) as "signedInAt" from (
       select actor_id as "userId", created_at from audit_log
        where action = 'SIGN_IN' and ip = $1 and created_at <= coalesce($2, clock_timestamp())
        order by created_at desc limit $4) as signed_in
      group by 1 order by 2 desc limit $3`,
    [ip, before ?? null, limit, SIGN_INS_MAX],
  );
}
