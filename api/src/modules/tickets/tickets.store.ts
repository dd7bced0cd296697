import type { TicketStatus } from '@cellhop/contract/tickets';
import type { Ctx } from '../../ctx.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';

export interface TicketRow {
  id: string;
  userId: string;
  userEmail: string;
  name: string;
  description: string;
  status: TicketStatus;
  createdAt: Date;
}

export interface MessageRow {
  id: string;
  ticketId: string;
  content: string;
  isUser: boolean;
  createdAt: Date;
}

const SELECT_TICKET = `
  select tickets.id, user_id as "userId", email as "userEmail", name, description, tickets.status,
         tickets.created_at as "createdAt"
    from tickets join readable_users as users on users.id = user_id`;
const MESSAGE_COLUMNS = `id, ticket_id as "ticketId", content, is_user as "isUser", created_at as "createdAt"`;

export async function findTicket(ctx: Ctx, id: string): Promise<TicketRow | undefined> {
  const [row] = await ctx.db.query<TicketRow>(`${SELECT_TICKET} where tickets.id = $1`, [id]);
  return row;
}

/** Prevents concurrent messages and closing until the end of the transaction. */
export async function lockTicket(ctx: Ctx, id: string): Promise<TicketRow | undefined> {
  const [row] = await ctx.db.query<TicketRow>(`${SELECT_TICKET} where tickets.id = $1 for update of tickets`, [id]);
  return row;
}

export function listTickets(ctx: Ctx, userId: string, page: PageQuery): Promise<TicketRow[]> {
  return ctx.db.query(
    `${SELECT_TICKET} where user_id = $1 order by tickets.created_at desc, tickets.id limit $2 offset $3`,
    [userId, page.size, toOffset(page)],
  );
}

export async function countTickets(ctx: Ctx, userId: string): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>('select count(*)::int as count from tickets where user_id = $1', [
    userId,
  ]);
  return row!.count;
}

export interface NewTicket {
  userId: string;
  authorId: string;
  name: string;
  description: string;
  idempotencyKey: string | null;
}

/** Tickets or messages of a user within the last hour. */
export interface Recent {
  count: number;
  /** Until the oldest of them leaves the window. */
  untilFewerSeconds: number;
}

const COUNT_RECENT = `
  select count(*)::int as count,
         coalesce(ceil(extract(epoch from min(created_at) + interval '1 hour' - now())), 0)::int as "untilFewerSeconds"`;

/** Counts tickets that the user opened themselves. */
export async function countRecentTickets(ctx: Ctx, userId: string): Promise<Recent> {
  const [row] = await ctx.db.query<Recent>(
    `${COUNT_RECENT} from tickets
      where user_id = $1 and author_id = $1 and created_at > now() - interval '1 hour'`,
    [userId],
  );
  return row!;
}

/** Counts messages in all of the user's tickets. */
export async function countRecentMessages(ctx: Ctx, userId: string): Promise<Recent> {
  const [row] = await ctx.db.query<Recent>(
    `${COUNT_RECENT} from ticket_messages
      where author_id = $1 and is_user and created_at > now() - interval '1 hour'`,
    [userId],
  );
  return row!;
}

/** @returns undefined if the author has already used the key */
export async function insertTicket(ctx: Ctx, ticket: NewTicket): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ id: string }>(
    `insert into tickets (user_id, author_id, name, description, idempotency_key) values ($1, $2, $3, $4, $5)
     on conflict (author_id, idempotency_key) where idempotency_key is not null do nothing returning id`,
    [ticket.userId, ticket.authorId, ticket.name, ticket.description, ticket.idempotencyKey],
  );
  return row?.id;
}

export async function findTicketByKey(ctx: Ctx, authorId: string, key: string | null): Promise<TicketRow | undefined> {
  const [row] = await ctx.db.query<TicketRow>(`${SELECT_TICKET} where author_id = $1 and idempotency_key = $2`, [
    authorId,
    key,
  ]);
  return row;
}

export async function saveClosed(ctx: Ctx, id: string, closedBy: string): Promise<void> {
  await ctx.db.query(`update tickets set status = 'CLOSED', closed_at = now(), closed_by = $2 where id = $1`, [
    id,
    closedBy,
  ]);
}

export function listMessages(ctx: Ctx, ticketId: string, page: PageQuery): Promise<MessageRow[]> {
  return ctx.db.query(
    `select ${MESSAGE_COLUMNS} from ticket_messages where ticket_id = $1 order by number desc limit $2 offset $3`,
    [ticketId, page.size, toOffset(page)],
  );
}

export async function countMessages(ctx: Ctx, ticketId: string): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    'select count(*)::int as count from ticket_messages where ticket_id = $1',
    [ticketId],
  );
  return row!.count;
}

export interface NewMessage {
  ticketId: string;
  authorId: string;
  isUser: boolean;
  content: string;
  /** Uploaded by the author before. */
  fileIds: readonly string[];
  idempotencyKey: string | null;
}

/** @returns undefined if the author has already used the key */
export async function insertMessage(ctx: Ctx, message: NewMessage): Promise<MessageRow | undefined> {
  const [row] = await ctx.db.query<MessageRow>(
    `insert into ticket_messages (ticket_id, author_id, is_user, content, idempotency_key) values ($1, $2, $3, $4, $5)
     on conflict (author_id, idempotency_key) where idempotency_key is not null do nothing
     returning ${MESSAGE_COLUMNS}`,
    [message.ticketId, message.authorId, message.isUser, message.content, message.idempotencyKey],
  );
  return row;
}

export async function findMessageByKey(
  ctx: Ctx,
  authorId: string,
  key: string | null,
): Promise<MessageRow | undefined> {
  const [row] = await ctx.db.query<MessageRow>(
    `select ${MESSAGE_COLUMNS} from ticket_messages where author_id = $1 and idempotency_key = $2`,
    [authorId, key],
  );
  return row;
}
