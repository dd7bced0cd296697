/** Support tickets of customers: they exchange messages with staff until one of them closes the ticket. */
import type { CreateTicketBody, TicketMessageBody } from '@cellhop/contract/tickets';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import { toTotalPages, type PageQuery } from '../../http/paging.ts';
import * as users from '../users/users.service.ts';
import * as store from './tickets.store.ts';
import { presentMessage, presentTicket } from './ticket-presenter.ts';
import { filesOf, readFile, upload } from './ticket-files.service.ts';
import { requireTicket } from './ticket-lookup.ts';
import { close, open, write } from './ticket-rules.ts';

type Owner = Pick<Actor, 'userId'>;

export async function listOwn(ctx: Ctx, { userId }: Owner, page: PageQuery) {
  const rows = await store.listTickets(ctx, userId, page);
  return { data: rows.map(presentTicket), totalPages: toTotalPages(await store.countTickets(ctx, userId), page) };
}

/** @throws AppError RATE_LIMITED, IDEMPOTENCY_KEY_REUSED */
export function openTicket(ctx: Ctx, { userId }: Owner, body: CreateTicketBody, key: string | null) {
  return ctx.tx(async (ctx) => {
    // Serializes concurrent requests of a user, so that the limit holds.
    await users.lockUser(ctx, userId);
    const { row } = await open(ctx, { ...body, userId, authorId: userId, idempotencyKey: key });
    return presentTicket(row);
  });
}

/** @throws AppError NOT_FOUND */
export async function getOwn(ctx: Ctx, { userId }: Owner, id: string) {
  return presentTicket(requireTicket(await store.findTicket(ctx, id), userId));
}

/** @throws AppError NOT_FOUND, TICKET_CLOSED */
export async function closeOwn(ctx: Ctx, { userId }: Owner, id: string) {
  return presentTicket(await close(ctx, userId, id, userId));
}

/** @throws AppError NOT_FOUND */
export async function listOwnMessages(ctx: Ctx, { userId }: Owner, id: string, page: PageQuery) {
  requireTicket(await store.findTicket(ctx, id), userId);
  const rows = await store.listMessages(ctx, id, page);
  const files = await filesOf(ctx, toIds(rows));
  return {
    data: rows.map((row) => presentMessage(row, files.get(row.id)!)),
    totalPages: toTotalPages(await store.countMessages(ctx, id), page),
  };
}

/** @throws AppError NOT_FOUND, TICKET_CLOSED, RATE_LIMITED, IDEMPOTENCY_KEY_REUSED, FILES_FULL */
export async function writeAsUser(
  ctx: Ctx,
  { userId }: Owner,
  ticketId: string,
  { content, fileIds = [] }: TicketMessageBody,
  key: string | null,
) {
  const message = { ticketId, authorId: userId, isUser: true, content, fileIds, idempotencyKey: key };
  const { row } = await write(ctx, userId, message);
  return presentMessage(row, (await filesOf(ctx, [row.id])).get(row.id)!);
}

export function uploadAsUser(ctx: Ctx, { userId }: Owner, ticketId: string, file: { name: string; content: Buffer }) {
  return upload(ctx, { ...file, ticketId, ownerId: userId, authorId: userId });
}

/** @throws AppError NOT_FOUND */
export function readOwnFile(ctx: Ctx, { userId }: Owner, ticketId: string, fileId: string) {
  return readFile(ctx, userId, ticketId, fileId);
}

const toIds = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
