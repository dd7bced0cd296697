/** The rules that customers and staff share: opening, closing, writing. */
import { AppError } from '@cellhop/contract/errors';
import type { TicketFile } from '@cellhop/contract/tickets';
import type { Ctx } from '../../ctx.ts';
import { requireSameRequest } from '../../db/refusals.ts';
import { STAFF } from '../../live/changes.ts';
import { findRecipient } from '../billing/alerts.service.ts';
import { send, sendToSupport } from '../mails/mails.service.ts';
import { notify } from '../notifications/notifications.service.ts';
import * as users from '../users/users.service.ts';
import * as files from './ticket-files.service.ts';
import { requireOpen, requireTicket } from './ticket-lookup.ts';
import * as store from './tickets.store.ts';

/** The result of a request that creates something. A replay repeats an earlier request and has changed nothing. */
interface Created<Row> {
  row: Row;
  isReplay: boolean;
}

/** @throws AppError RATE_LIMITED, IDEMPOTENCY_KEY_REUSED */
export async function open(ctx: Ctx, ticket: store.NewTicket): Promise<Created<store.TicketRow>> {
  const id = await store.insertTicket(ctx, ticket);
  if (id !== undefined) {
    // Checked after the insert, which is rolled back beyond the limit, so that a repeated request succeeds even at the limit.
    if (ticket.authorId === ticket.userId)
      enforceHourlyLimit(await store.countRecentTickets(ctx, ticket.userId), ctx.config.ticketsPerHour);
    announce(ctx, ticket);
    const row = (await store.findTicket(ctx, id))!;
    await notifyOfStaffAction(ctx, row, ticket.authorId, 'TICKET_OPENED');
    await mailOfTicket(ctx, row, ticket.authorId);
    return { row, isReplay: false };
  }
  const replayed = await store.findTicketByKey(ctx, ticket.authorId, ticket.idempotencyKey);
  const isSame = ({ userId, name, description }: store.TicketRow) =>
    userId === ticket.userId && name === ticket.name && description === ticket.description;
  return { row: requireSameRequest(replayed, isSame), isReplay: true };
}

/** @param ownerId null for staff. @throws AppError NOT_FOUND, TICKET_CLOSED */
export function close(ctx: Ctx, ownerId: string | null, id: string, closedBy: string): Promise<store.TicketRow> {
  return ctx.tx(async (ctx) => {
    const ticket = requireOpen(requireTicket(await store.lockTicket(ctx, id), ownerId));
    await store.saveClosed(ctx, id, closedBy);
    announce(ctx, ticket);
    await notifyOfStaffAction(ctx, ticket, closedBy, 'TICKET_CLOSED');
    return { ...ticket, status: 'CLOSED' };
  });
}

/**
 * @param ownerId null for staff
 * @param check runs under the lock of the ticket, before a new message is stored
 * @throws AppError NOT_FOUND, TICKET_CLOSED, RATE_LIMITED, IDEMPOTENCY_KEY_REUSED
 */
export function write(
  ctx: Ctx,
  ownerId: string | null,
  message: store.NewMessage,
  check: (ctx: Ctx) => Promise<void> = () => Promise.resolve(),
): Promise<Created<store.MessageRow> & { ticket: store.TicketRow }> {
  return ctx.tx(async (ctx) => {
    const ticket = requireTicket(await store.lockTicket(ctx, message.ticketId), ownerId);
    // A repeated request succeeds even if the ticket was closed since.
    const replayed = await store.findMessageByKey(ctx, message.authorId, message.idempotencyKey);
    if (replayed) {
      const sent = (await files.filesOf(ctx, [replayed.id])).get(replayed.id)!;
      return { row: requireSameMessage(replayed, message, sent), isReplay: true, ticket };
    }
    requireOpen(ticket);
    await check(ctx);
    if (message.isUser) await users.lockUser(ctx, message.authorId);
    const row = await store.insertMessage(ctx, message);
    // A concurrent request used the same key for another ticket.
    if (!row) throw new AppError('IDEMPOTENCY_KEY_REUSED');
    if (message.isUser)
      enforceHourlyLimit(await store.countRecentMessages(ctx, message.authorId), ctx.config.ticketMessagesPerHour);
    await files.attach(ctx, { ...message, id: row.id }, message.fileIds);
    await notifyOfMessage(ctx, ticket, row);
    return { row, isReplay: false, ticket };
  });
}

/** Updates the pages of the ticket's user and of staff. */
function announce(ctx: Ctx, { userId }: { userId: string }): void {
  ctx.changed({ userId }, 'tickets');
  ctx.changed(STAFF, 'staff-tickets');
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

/** Updates open pages, and notifies the user of messages by staff. */
async function notifyOfMessage(ctx: Ctx, ticket: store.TicketRow, message: store.MessageRow): Promise<void> {
  const { id: ticketId, userId, name } = ticket;
  announce(ctx, ticket);
  if (message.isUser) return;
  await notify(ctx, userId, `ticket-message:${message.id}`, { kind: 'TICKET_ANSWER', details: { ticketId, name } });
  const names = (await files.filesOf(ctx, [message.id])).get(message.id)!.map(({ name }) => `[${name}]`);
  await mailAnswer(ctx, ticket, [message.content, ...names].join('\n'));
}

/** To the customer, unless they have switched such mails off. */
async function mailAnswer(ctx: Ctx, { id, userId, name }: store.TicketRow, message: string): Promise<void> {
  const recipient = await findRecipient(ctx, userId, 'mailsTickets');
  if (!recipient) return;
  const values = { link: `${ctx.config.publicUrl}/support/tickets/${id}`, ticket: name, message };
  await send(ctx, userId, { ...recipient, template: 'ticket-answer', values }, null);
}

/** To the customer about a ticket that staff have opened for them, and to the support team about one of a customer. */
async function mailOfTicket(ctx: Ctx, ticket: store.TicketRow, authorId: string): Promise<void> {
  if (authorId !== ticket.userId) return mailAnswer(ctx, ticket, ticket.description);
  const { publicUrl, ticketEmail } = ctx.config;
  if (ticketEmail === undefined) return;
  const { languageCode } = (await users.findUser(ctx, authorId))!;
  const values = { link: `${publicUrl}/admin/tickets/${ticket.id}`, ticket: ticket.name, message: ticket.description };
  await sendToSupport(ctx, { template: 'ticket-opened', to: ticketEmail, languageCode, values });
}

function requireSameMessage(
  row: store.MessageRow,
  message: store.NewMessage,
  files: readonly TicketFile[],
): store.MessageRow {
  const isSame = ({ ticketId, isUser, content }: store.MessageRow) =>
    ticketId === message.ticketId &&
    isUser === message.isUser &&
    content === message.content &&
    new Set([...message.fileIds, ...files.map(({ id }) => id)]).size === files.length &&
    message.fileIds.length === files.length;
  return requireSameRequest(row, isSame);
}

/** Only for users; staff have no limit. */
function enforceHourlyLimit({ count, untilFewerSeconds }: store.Recent, perHour: number): void {
  if (count > perHour) throw AppError.rateLimited(Math.max(1, untilFewerSeconds));
}
