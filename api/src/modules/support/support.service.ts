/** Support tickets: users and staff exchange messages until one of them closes the ticket. */
import { AppError } from '@cellhop/contract/errors';
import type { CreateTicketBody, CreateTicketForUserBody } from '@cellhop/contract/support';
import type { Actor } from '../../actor.ts';
import type { Ctx } from '../../ctx.ts';
import { requireSameRequest } from '../../idempotency.ts';
import { toTotalPages, type PageQuery } from '../../http/paging.ts';
import { notify } from '../notifications/notifications.service.ts';
import * as users from '../users/users.service.ts';
import * as store from './support.store.ts';
import { presentForAdmin, presentMessage, presentTicket } from './ticket-presenter.ts';

type Owner = Pick<Actor, 'userId'>;

export function listOwn(ctx: Ctx, { userId }: Owner, page: PageQuery) {
  return listTickets(ctx, userId, page, presentTicket);
}

export function listForAdmin(ctx: Ctx, { userId, ...page }: PageQuery & { userId?: string | undefined }) {
  return listTickets(ctx, userId ?? null, page, presentForAdmin);
}

/** @throws AppError RATE_LIMITED, IDEMPOTENCY_KEY_REUSED */
export function openTicket(ctx: Ctx, { userId }: Owner, body: CreateTicketBody, key: string | null) {
  return ctx.tx(async (ctx) => {
    // Serializes concurrent requests of a user, so that the limit holds.
    await users.lockUser(ctx, userId);
    return presentTicket(await open(ctx, { ...body, userId, authorId: userId, idempotencyKey: key }));
  });
}

/** Notifies the user. @throws AppError NOT_FOUND, IDEMPOTENCY_KEY_REUSED */
export async function openTicketForUser(
  ctx: Ctx,
  { userId: authorId }: Owner,
  body: CreateTicketForUserBody,
  key: string | null,
) {
  if (!(await users.findUser(ctx, body.userId))) throw new AppError('NOT_FOUND', { thing: 'User' });
  return ctx.tx(async (ctx) => presentForAdmin(await open(ctx, { ...body, authorId, idempotencyKey: key })));
}

/** @throws AppError NOT_FOUND */
export async function getOwn(ctx: Ctx, { userId }: Owner, id: string) {
  return presentTicket(requireTicket(await store.findTicket(ctx, id), userId));
}

/** @throws AppError NOT_FOUND */
export async function getAny(ctx: Ctx, id: string) {
  return presentForAdmin(requireTicket(await store.findTicket(ctx, id), null));
}

/** @throws AppError NOT_FOUND, TICKET_CLOSED */
export async function closeOwn(ctx: Ctx, { userId }: Owner, id: string) {
  return presentTicket(await close(ctx, userId, id, userId));
}

/** @throws AppError NOT_FOUND, TICKET_CLOSED */
export async function closeAny(ctx: Ctx, { userId }: Owner, id: string) {
  return presentForAdmin(await close(ctx, null, id, userId));
}

/** @throws AppError NOT_FOUND */
export async function listOwnMessages(ctx: Ctx, { userId }: Owner, id: string, page: PageQuery) {
  requireTicket(await store.findTicket(ctx, id), userId);
  return listMessages(ctx, id, page);
}

/** @throws AppError NOT_FOUND */
export async function listAnyMessages(ctx: Ctx, id: string, page: PageQuery) {
  requireTicket(await store.findTicket(ctx, id), null);
  return listMessages(ctx, id, page);
}

/** @throws AppError NOT_FOUND, TICKET_CLOSED, RATE_LIMITED, IDEMPOTENCY_KEY_REUSED */
export function writeAsUser(ctx: Ctx, { userId }: Owner, ticketId: string, content: string, key: string | null) {
  return write(ctx, userId, { ticketId, authorId: userId, isUser: true, content, idempotencyKey: key });
}

/** @throws AppError NOT_FOUND, TICKET_CLOSED, IDEMPOTENCY_KEY_REUSED */
export function writeAsStaff(ctx: Ctx, { userId }: Owner, ticketId: string, content: string, key: string | null) {
  return write(ctx, null, { ticketId, authorId: userId, isUser: false, content, idempotencyKey: key });
}

async function open(ctx: Ctx, ticket: store.NewTicket): Promise<store.TicketRow> {
  const id = await store.insertTicket(ctx, ticket);
  if (id !== undefined) {
    // Checked after the insert, which is rolled back beyond the limit, so that a repeated request succeeds even at the limit.
    if (ticket.authorId === ticket.userId)
      enforceHourlyLimit(await store.countRecentTickets(ctx, ticket.userId), ctx.config.ticketsPerHour);
    ctx.changed(ticket, 'tickets');
    const opened = (await store.findTicket(ctx, id))!;
    await notifyOfStaffAction(ctx, opened, ticket.authorId, 'TICKET_OPENED');
    return opened;
  }
  const replayed = await store.findTicketByKey(ctx, ticket.authorId, ticket.idempotencyKey);
  return requireSameRequest(
    replayed,
    ({ userId, name, description }) =>
      userId === ticket.userId && name === ticket.name && description === ticket.description,
  );
}

function close(ctx: Ctx, ownerId: string | null, id: string, closedBy: string): Promise<store.TicketRow> {
  return ctx.tx(async (ctx) => {
    const ticket = requireOpen(requireTicket(await store.lockTicket(ctx, id), ownerId));
    await store.saveClosed(ctx, id, closedBy);
    ctx.changed(ticket, 'tickets');
    await notifyOfStaffAction(ctx, ticket, closedBy, 'TICKET_CLOSED');
    return { ...ticket, status: 'CLOSED' };
  });
}

function write(ctx: Ctx, ownerId: string | null, message: store.NewMessage) {
  return ctx.tx(async (ctx) => {
    const ticket = requireTicket(await store.lockTicket(ctx, message.ticketId), ownerId);
    // A repeated request succeeds even if the ticket was closed since.
    const replayed = await store.findMessageByKey(ctx, message.authorId, message.idempotencyKey);
    if (replayed) return presentReplay(replayed, message);
    requireOpen(ticket);
    if (message.isUser) await users.lockUser(ctx, message.authorId);
    const row = await store.insertMessage(ctx, message);
    if (row) {
      if (message.isUser)
        enforceHourlyLimit(await store.countRecentMessages(ctx, message.authorId), ctx.config.ticketMessagesPerHour);
      await notifyOfMessage(ctx, ticket, row);
      return presentMessage(row);
    }
    // A concurrent request used the same key for another ticket.
    throw new AppError('IDEMPOTENCY_KEY_REUSED');
  });
}

/** Users are not notified of their own actions. */
async function notifyOfStaffAction(
  ctx: Ctx,
  { id, userId, name }: store.TicketRow,
  actorId: string,
  kind: 'TICKET_OPENED' | 'TICKET_CLOSED',
): Promise<void> {
  if (actorId === userId) return;
  await notify(ctx, userId, `ticket:${id}:${kind}`, { kind, details: { ticketId: id, name } });
}

/** Updates the user's open pages, and notifies them of messages by staff. */
async function notifyOfMessage(ctx: Ctx, ticket: store.TicketRow, message: store.MessageRow): Promise<void> {
  const { id: ticketId, userId, name } = ticket;
  ctx.changed({ userId }, 'tickets');
  if (!message.isUser)
    await notify(ctx, userId, `ticket-message:${message.id}`, { kind: 'TICKET_ANSWER', details: { ticketId, name } });
}

function presentReplay(row: store.MessageRow, message: store.NewMessage) {
  const isSame = ({ ticketId, isUser, content }: store.MessageRow) =>
    ticketId === message.ticketId && isUser === message.isUser && content === message.content;
  return presentMessage(requireSameRequest(row, isSame));
}

/** @param ownerId null for staff, who see all tickets */
function requireTicket(ticket: store.TicketRow | undefined, ownerId: string | null): store.TicketRow {
  if (!ticket || (ownerId !== null && ticket.userId !== ownerId)) throw new AppError('NOT_FOUND', { thing: 'Ticket' });
  return ticket;
}

function requireOpen(ticket: store.TicketRow): store.TicketRow {
  if (ticket.status !== 'OPEN') throw new AppError('TICKET_CLOSED');
  return ticket;
}

/** Only for users; staff have no limit. */
function enforceHourlyLimit({ count, untilFewerSeconds }: store.Recent, perHour: number): void {
  if (count > perHour) throw AppError.rateLimited(Math.max(1, untilFewerSeconds));
}

async function listTickets<Item>(
  ctx: Ctx,
  userId: string | null,
  page: PageQuery,
  present: (row: store.TicketRow) => Item,
) {
  const rows = await store.listTickets(ctx, userId, page);
  return { data: rows.map(present), totalPages: toTotalPages(await store.countTickets(ctx, userId), page) };
}

async function listMessages(ctx: Ctx, ticketId: string, page: PageQuery) {
  const rows = await store.listMessages(ctx, ticketId, page);
  return { data: rows.map(presentMessage), totalPages: toTotalPages(await store.countMessages(ctx, ticketId), page) };
}
