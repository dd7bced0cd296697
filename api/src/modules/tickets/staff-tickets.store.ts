import { LISTED_ROWS_MAX } from '@cellhop/contract/limits';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { TicketView } from '@cellhop/contract/staff/tickets';
import type { TicketStatus } from '@cellhop/contract/tickets';
import type { Ctx } from '../../ctx.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';
import type { MessageRow, TicketRow } from './tickets.store.ts';

export interface StaffTicketRow extends TicketRow {
  languageCode: LanguageCode;
  assigneeId: string | null;
  assigneeEmail: string | null;
  waitingSince: Date | null;
  version: number;
}

const SELECT_TICKET = `
  select tickets.id, tickets.user_id as "userId", users.email as "userEmail", users.language_code as "languageCode", name, description,
         tickets.status, desk.created_at as "createdAt", assignee_id as "assigneeId", assignees.email as "assigneeEmail",
         case when is_open then waiting_since end as "waitingSince", version
    from ticket_desk as desk
    join tickets on tickets.id = desk.ticket_id
    join readable_users as users on users.id = tickets.user_id
    left join readable_users as assignees on assignees.id = assignee_id`;

export async function findTicket(ctx: Ctx, id: string): Promise<StaffTicketRow | undefined> {
  const [row] = await ctx.db.query<StaffTicketRow>(`${SELECT_TICKET} where tickets.id = $1`, [id]);
  return row;
}

export interface TicketFilter {
  view: TicketView;
  /** The caller, for the view `mine`. */
  actorId: string;
  userId: string | null;
  status: TicketStatus | null;
  /** Inclusive. */
  from: string | null;
  /** Exclusive. */
  to: string | null;
}

/** Each has an index of ticket_desk. */
export const VIEWS: Record<TicketView, { condition: string; order: string }> = {
  all: { condition: 'true', order: 'desk.created_at desc, ticket_id' },
  open: { condition: 'is_open', order: 'desk.created_at desc, ticket_id' },
  mine: { condition: 'is_open', order: 'desk.created_at desc, ticket_id' },
  waiting: { condition: 'is_open and waiting_since is not null', order: 'waiting_since, ticket_id' },
  oldest: { condition: 'is_open', order: 'desk.created_at, ticket_id desc' },
};

export const FILTERED = `
  from ticket_desk as desk
 where ($1::uuid is null or assignee_id = $1) and ($2::uuid is null or desk.user_id = $2)
   and ($3::boolean is null or is_open = $3)
   and ($4::timestamptz is null or desk.created_at >= $4) and ($5::timestamptz is null or desk.created_at < $5)`;

export function toValues({ view, actorId, userId, status, from, to }: TicketFilter): unknown[] {
  const isOpen = status === null ? null : status === 'OPEN';
  return [view === 'mine' ? actorId : null, userId, isOpen, from, to];
}

/** Planned each time, with its values: filters that are not set disappear, and the others may have an index. */
export const PLANNED_EACH_TIME = { isPrepared: false };

/** Skipped rows are read only from the index of the view. */
export function listTickets(ctx: Ctx, filter: TicketFilter, page: PageQuery): Promise<StaffTicketRow[]> {
  const { condition, order } = VIEWS[filter.view];
  return ctx.db.query(
    `${SELECT_TICKET}
      where desk.ticket_id in (select ticket_id ${FILTERED} and ${condition} order by ${order} limit $6 offset $7)
      order by ${order}`,
    [...toValues(filter), page.size, toOffset(page)],
    PLANNED_EACH_TIME,
  );
}

/** Lists tickets in the order of the view. */
export function listTicketsById(ctx: Ctx, ids: readonly string[], view: TicketView): Promise<StaffTicketRow[]> {
  return ctx.db.query(`${SELECT_TICKET} where desk.ticket_id = any($1) order by ${VIEWS[view].order}`, [ids]);
}

export async function countTickets(ctx: Ctx, filter: TicketFilter, limit: number): Promise<number> {
  const { condition } = VIEWS[filter.view];
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count from (select ${FILTERED} and ${condition} limit $6) as listed`,
    [...toValues(filter), limit],
    PLANNED_EACH_TIME,
  );
  return row!.count;
}

export interface ViewCounts {
  open: number;
  mine: number;
  waiting: number;
}

/** Each counts at most as many as can be listed. */
export async function countViews(ctx: Ctx, actorId: string): Promise<ViewCounts> {
  const [row] = await ctx.db.query<ViewCounts>(
    `select (select count(*)::int from (select from ticket_desk where is_open limit $2) as listed) as open,
            (select count(*)::int from (select from ticket_desk where is_open and assignee_id = $1 limit $2) as listed) as mine,
            (select count(*)::int from (select from ticket_desk where is_open and waiting_since is not null limit $2) as listed)
              as waiting`,
    [actorId, LISTED_ROWS_MAX],
  );
  return row!;
}

interface Waiting {
  count: number;
  /** Of the ticket that waits longest; null if none does. */
  id: string | null;
  name: string | null;
  waitingSince: Date | null;
}

/** Reads the index of the view `waiting`. */
export async function readWaiting(ctx: Ctx, limit: number): Promise<Waiting> {
  const [row] = await ctx.db.query<Waiting>(
    `with waiting as materialized (
       select ticket_id, waiting_since from ticket_desk where is_open and waiting_since is not null
        order by waiting_since, ticket_id limit $1
     ), oldest as (select ticket_id, waiting_since from waiting order by waiting_since, ticket_id limit 1)
     select (select count(*)::int from waiting) as count, tickets.id, name, waiting_since as "waitingSince"
       from (select) as always left join (oldest join tickets on tickets.id = ticket_id) on true`,
    [limit],
  );
  return row!;
}

/** Counts all, because the index contains only open tickets. */
export async function countOpen(ctx: Ctx): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>('select count(*)::int as count from ticket_desk where is_open');
  return row!.count;
}

export interface FirstReplies {
  medianSeconds: number | null;
  ticketCount: number;
}

/** Measures the newest tickets of the range that have a reply. */
export async function measureFirstReplies(ctx: Ctx, from: string, to: string): Promise<FirstReplies> {
  const [row] = await ctx.db.query<FirstReplies>(
    `select percentile_cont(0.5) within group (order by extract(epoch from first_reply_at - created_at)) as "medianSeconds",
            count(*)::int as "ticketCount"
       from (select created_at, first_reply_at from ticket_desk
              where first_reply_at is not null and created_at >= $1 and created_at < $2
              order by created_at desc limit $3) as replied`,
    [from, to, LISTED_ROWS_MAX],
  );
  return row!;
}

/** @returns undefined if no user has this email */
export async function findUserIdByEmail(ctx: Ctx, email: string): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ id: string }>('select id from readable_users where email = $1', [email]);
  return row?.id;
}

export async function saveAssignee(ctx: Ctx, id: string, assigneeId: string | null): Promise<void> {
  await ctx.db.query('update ticket_desk set assignee_id = $2, version = version + 1 where ticket_id = $1', [
    id,
    assigneeId,
  ]);
}

export interface StaffMessageRow extends MessageRow {
  authorId: string;
  authorEmail: string;
}

const SELECT_MESSAGE = `
  select messages.id, ticket_id as "ticketId", content, is_user as "isUser", messages.created_at as "createdAt",
         author_id as "authorId", email as "authorEmail"
    from ticket_messages as messages join readable_users as users on users.id = author_id`;

export function listMessages(ctx: Ctx, ticketId: string, page: PageQuery): Promise<StaffMessageRow[]> {
  return ctx.db.query(`${SELECT_MESSAGE} where ticket_id = $1 order by number desc limit $2 offset $3`, [
    ticketId,
    page.size,
    toOffset(page),
  ]);
}

export async function findMessage(ctx: Ctx, id: string): Promise<StaffMessageRow | undefined> {
  const [row] = await ctx.db.query<StaffMessageRow>(`${SELECT_MESSAGE} where messages.id = $1`, [id]);
  return row;
}

/** @param seenId the newest message that the author has seen; null: none */
export async function hasNewerOfOtherStaff(
  ctx: Ctx,
  ticketId: string,
  authorId: string,
  seenId: string | null,
): Promise<boolean> {
  const [row] = await ctx.db.query<{ has: boolean }>(
    `select exists (
       select from ticket_messages
        where ticket_id = $1 and not is_user and author_id <> $2
          and number > coalesce((select number from ticket_messages where id = $3 and ticket_id = $1), 0)) as has`,
    [ticketId, authorId, seenId],
  );
  return row!.has;
}

export interface NoteRow {
  id: string;
  ticketId: string;
  content: string;
  createdAt: Date;
  authorId: string;
  authorEmail: string;
}

const SELECT_NOTE = `
  select notes.id, ticket_id as "ticketId", content, notes.created_at as "createdAt", author_id as "authorId", email as "authorEmail"
    from ticket_notes as notes join readable_users as users on users.id = author_id`;

export function listNotes(ctx: Ctx, ticketId: string, page: PageQuery): Promise<NoteRow[]> {
  return ctx.db.query(`${SELECT_NOTE} where ticket_id = $1 order by number desc limit $2 offset $3`, [
    ticketId,
    page.size,
    toOffset(page),
  ]);
}

export async function countNotes(ctx: Ctx, ticketId: string): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    'select count(*)::int as count from ticket_notes where ticket_id = $1',
    [ticketId],
  );
  return row!.count;
}

export interface NewNote {
  ticketId: string;
  authorId: string;
  content: string;
  idempotencyKey: string | null;
}

/** @returns undefined if the author has already used the key */
export async function insertNote(ctx: Ctx, note: NewNote): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ id: string }>(
    `insert into ticket_notes (ticket_id, author_id, content, idempotency_key) values ($1, $2, $3, $4)
     on conflict (author_id, idempotency_key) where idempotency_key is not null do nothing returning id`,
    [note.ticketId, note.authorId, note.content, note.idempotencyKey],
  );
  return row?.id;
}

export async function findNote(ctx: Ctx, id: string): Promise<NoteRow | undefined> {
  const [row] = await ctx.db.query<NoteRow>(`${SELECT_NOTE} where notes.id = $1`, [id]);
  return row;
}

export async function findNoteByKey(ctx: Ctx, authorId: string, key: string | null): Promise<NoteRow | undefined> {
  const [row] = await ctx.db.query<NoteRow>(`${SELECT_NOTE} where author_id = $1 and idempotency_key = $2`, [
    authorId,
    key,
  ]);
  return row;
}
