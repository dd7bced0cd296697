/** Tickets of all users, for staff: views, answers, assignment and internal notes. */
import { AppError } from '@cellhop/contract/errors';
import { ASSIGNEES_MAX, PAGE_SIZE, TICKET_NOTES_MAX } from '@cellhop/contract/limits';
import type {
  AnswerTicketBody,
  AssignTicketBody,
  CreateTicketForUserBody,
  StaffTicket,
  TicketView,
} from '@cellhop/contract/staff/tickets';
import type { TicketStatus } from '@cellhop/contract/tickets';
import { toDollars } from '@cellhop/contract/units';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import { readListed, toTotalPages, type PageQuery } from '../../http/paging.ts';
import { requireSameRequest, refuseStale } from '../../db/refusals.ts';
import { STAFF } from '../../live/changes.ts';
import type { Requester } from '../../http/requester.ts';
import { record, type AuditEntry } from '../audit-log/audit-log.service.ts';
import * as connections from '../connections/connections.service.ts';
import * as ledger from '../ledger/ledger.service.ts';
import * as users from '../users/users.service.ts';
import * as staffStore from './staff-tickets.store.ts';
import * as store from './tickets.store.ts';
import { presentForStaff, presentMessageForStaff, presentNote } from './ticket-presenter.ts';
import { searchTickets } from './ticket-search.ts';
import { filesOf, readFile, upload } from './ticket-files.service.ts';
import { requireOpen, requireTicket } from './ticket-lookup.ts';
import { close, open, write } from './ticket-rules.ts';

/** A request that changes something: who sends it, from where, and its idempotency key. */
export interface StaffRequest {
  actor: Pick<Actor, 'userId'>;
  requester: Requester;
  key?: string | null;
}

interface ListQuery extends PageQuery {
  view: TicketView;
  userId?: string | undefined;
  status?: TicketStatus | undefined;
  words?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export async function listForStaff(ctx: Ctx, { userId: actorId }: Pick<Actor, 'userId'>, query: ListQuery) {
  const { view, userId = null, status = null, words = '', from = null, to = null, ...page } = query;
  const filter = { view, actorId, userId, status, from, to };
  const beginnings = splitWords(words);
  const { rows, ...pages } = await (beginnings.length === 0
    ? readListed(page, {
        list: () => staffStore.listTickets(ctx, filter, page),
        count: (limit) => staffStore.countTickets(ctx, filter, limit),
      })
    : searchTickets(ctx, filter, beginnings, page));
  return { data: rows.map(presentForStaff), ...pages };
}

/** Letters and digits only: other characters separate words. */
function splitWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

export async function countViews(ctx: Ctx, { userId }: Pick<Actor, 'userId'>) {
  const counts = await staffStore.countViews(ctx, userId);
  return { ...counts, oldest: counts.open };
}

/** How many customers wait for a message of staff, at most `limit`, and the ticket that waits longest. */
export async function readWaiting(ctx: Ctx, limit: number) {
  const { count, id, name, waitingSince } = await staffStore.readWaiting(ctx, limit);
  const oldest = id === null ? null : { id, name: name!, waitingSince: waitingSince!.toISOString() };
  return { waiting: count, oldest };
}

/** @returns the number of open tickets, and the median first reply to those of the range; null if none has one */
export async function readFigures(
  ctx: Ctx,
  { from, to }: { from: string; to: string },
): Promise<{ open: number; firstReplySeconds: number | null }> {
  const [open, { medianSeconds }] = await Promise.all([
    staffStore.countOpen(ctx),
    staffStore.measureFirstReplies(ctx, from, to),
  ]);
  return { open, firstReplySeconds: medianSeconds };
}

export function measureFirstReplies(
  ctx: Ctx,
  { from, to }: { from: string; to: string },
): Promise<staffStore.FirstReplies> {
  return staffStore.measureFirstReplies(ctx, from, to);
}

/** Notifies the user. @throws AppError NOT_FOUND, IDEMPOTENCY_KEY_REUSED */
export async function openTicketForUser(
  ctx: Ctx,
  { userId: givenId, email = '', ...texts }: CreateTicketForUserBody,
  request: StaffRequest,
): Promise<StaffTicket> {
  const found = givenId ?? (await staffStore.findUserIdByEmail(ctx, email.toLowerCase()));
  const user = found === undefined ? undefined : await users.findUser(ctx, found);
  if (!user) throw new AppError('NOT_FOUND', { thing: 'User' });
  const ticket = { ...texts, userId: user.id, authorId: request.actor.userId, idempotencyKey: request.key ?? null };
  return ctx.tx(async (ctx) => {
    const { row, isReplay } = await open(ctx, ticket);
    if (!isReplay) await recordFor(ctx, row, request, { action: 'TICKET_CREATED', details: { name: row.name } });
    return getAny(ctx, row.id);
  });
}

/** @returns the ticket with this id, or none */
export async function findForStaff(ctx: Ctx, id: string): Promise<StaffTicket[]> {
  const row = await staffStore.findTicket(ctx, id);
  return row ? [presentForStaff(row)] : [];
}

/** @throws AppError NOT_FOUND */
export async function getAny(ctx: Ctx, id: string): Promise<StaffTicket> {
  return presentForStaff(requireTicket(await staffStore.findTicket(ctx, id), null));
}

/** Notifies the user. @throws AppError NOT_FOUND, TICKET_CLOSED */
export function closeAny(ctx: Ctx, id: string, request: StaffRequest): Promise<StaffTicket> {
  return ctx.tx(async (ctx) => {
    const ticket = await close(ctx, null, id, request.actor.userId);
    await recordFor(ctx, ticket, request, {
      action: 'TICKET_CLOSED',
      before: { status: 'OPEN' },
      after: { status: 'CLOSED' },
    });
    return getAny(ctx, id);
  });
}

/** Staff to whom tickets can be assigned. */
export function listAssignees(ctx: Ctx) {
  return users.listHolders(ctx, 'TICKETS_MSG_WRITE', ASSIGNEES_MAX);
}

/** @throws AppError NOT_FOUND, TICKET_CLOSED, CHANGED_ELSEWHERE */
export function assign(
  ctx: Ctx,
  id: string,
  { assigneeId, version }: AssignTicketBody,
  request: StaffRequest,
): Promise<StaffTicket> {
  return ctx.tx(async (ctx) => {
    requireOpen(requireTicket(await store.lockTicket(ctx, id), null));
    const ticket = requireTicket(await staffStore.findTicket(ctx, id), null);
    if (ticket.assigneeId === assigneeId) return presentForStaff(ticket);
    refuseStale(version, ticket.version);
    if (assigneeId !== null) await requireAssignee(ctx, assigneeId);
    await saveAssignee(ctx, ticket, assigneeId, request);
    ctx.changed(STAFF, 'staff-tickets');
    return getAny(ctx, id);
  });
}

/** The caller has locked the ticket. */
async function saveAssignee(
  ctx: Ctx,
  ticket: staffStore.StaffTicketRow,
  assigneeId: string | null,
  request: StaffRequest,
): Promise<void> {
  await staffStore.saveAssignee(ctx, ticket.id, assigneeId);
  await recordFor(ctx, ticket, request, {
    action: 'TICKET_ASSIGNED',
    before: { assigneeId: ticket.assigneeId },
    after: { assigneeId },
  });
}

async function requireAssignee(ctx: Ctx, id: string): Promise<void> {
  const user = await users.findUser(ctx, id);
  if (user?.status !== 'ACTIVE' || !user.permissions.includes('TICKETS_MSG_WRITE'))
    throw new AppError('NOT_FOUND', { thing: 'Assignee' });
}

/** @throws AppError NOT_FOUND */
export async function listAnyMessages(ctx: Ctx, id: string, page: PageQuery) {
  requireTicket(await store.findTicket(ctx, id), null);
  const rows = await staffStore.listMessages(ctx, id, page);
  const files = await filesOf(
    ctx,
    rows.map((row) => row.id),
  );
  return {
    data: rows.map((row) => presentMessageForStaff(row, files.get(row.id)!)),
    totalPages: toTotalPages(await store.countMessages(ctx, id), page),
  };
}

/**
 * Notifies the user. An unassigned ticket is assigned to the author.
 * @throws AppError NOT_FOUND, TICKET_CLOSED, IDEMPOTENCY_KEY_REUSED, CHANGED_ELSEWHERE if other staff have answered after the last
 *   message that the author saw
 */
export function answer(
  ctx: Ctx,
  ticketId: string,
  { content, fileIds = [], lastSeenMessageId: seenId }: AnswerTicketBody,
  request: StaffRequest,
) {
  const authorId = request.actor.userId;
  const message = { ticketId, authorId, isUser: false, content, fileIds, idempotencyKey: request.key ?? null };
  return ctx.tx(async (ctx) => {
    const { row, isReplay, ticket } = await write(ctx, null, message, async (ctx) => {
      if (seenId !== undefined && (await staffStore.hasNewerOfOtherStaff(ctx, ticketId, authorId, seenId)))
        throw new AppError('CHANGED_ELSEWHERE');
    });
    if (!isReplay) {
      await recordFor(ctx, ticket, request, { action: 'TICKET_ANSWERED', details: { messageId: row.id } });
      const answered = (await staffStore.findTicket(ctx, ticketId))!;
      if (answered.assigneeId === null) await saveAssignee(ctx, answered, authorId, request);
    }
    const files = await filesOf(ctx, [row.id]);
    return presentMessageForStaff((await staffStore.findMessage(ctx, row.id))!, files.get(row.id)!);
  });
}

/** @throws AppError like `upload` */
export function uploadForAnswer(
  ctx: Ctx,
  ticketId: string,
  file: { name: string; content: Buffer },
  request: StaffRequest,
) {
  return upload(ctx, { ...file, ticketId, ownerId: null, authorId: request.actor.userId }, (ctx, ticket, { id }) =>
    recordFor(ctx, ticket, request, { action: 'TICKET_FILE_UPLOADED', details: { fileId: id } }),
  );
}

/** @throws AppError NOT_FOUND */
export function readAnyFile(ctx: Ctx, ticketId: string, fileId: string) {
  return readFile(ctx, null, ticketId, fileId);
}

/** @throws AppError NOT_FOUND */
export async function listNotes(ctx: Ctx, id: string, page: PageQuery) {
  requireTicket(await store.findTicket(ctx, id), null);
  const rows = await staffStore.listNotes(ctx, id, page);
  return { data: rows.map(presentNote), totalPages: toTotalPages(await staffStore.countNotes(ctx, id), page) };
}

/** Also on closed tickets. The user is not notified. @throws AppError NOT_FOUND, VALIDATION, IDEMPOTENCY_KEY_REUSED */
export function writeNote(ctx: Ctx, ticketId: string, content: string, request: StaffRequest) {
  const note = { ticketId, authorId: request.actor.userId, content, idempotencyKey: request.key ?? null };
  return ctx.tx(async (ctx) => {
    const ticket = requireTicket(await store.lockTicket(ctx, ticketId), null);
    const id = await staffStore.insertNote(ctx, note);
    if (id === undefined) {
      const replayed = await staffStore.findNoteByKey(ctx, note.authorId, note.idempotencyKey);
      return presentNote(
        requireSameRequest(replayed, (made) => made.ticketId === ticketId && made.content === content),
      );
    }
    if ((await staffStore.countNotes(ctx, ticketId)) > TICKET_NOTES_MAX)
      throw AppError.validation([{ path: 'body', message: `A ticket has at most ${String(TICKET_NOTES_MAX)} notes` }]);
    await recordFor(ctx, ticket, request, { action: 'NOTE_WRITTEN', details: { noteId: id } });
    ctx.changed(STAFF, 'staff-tickets');
    return presentNote((await staffStore.findNote(ctx, id))!);
  });
}

/** @throws AppError NOT_FOUND */
export async function readBalance(ctx: Ctx, id: string): Promise<{ balance: number }> {
  const { userId } = requireTicket(await store.findTicket(ctx, id), null);
  const { accountId } = (await users.findUser(ctx, userId))!;
  return { balance: toDollars((await ledger.readBalance(ctx, accountId)).balanceMicros) };
}

/** Live ones only. @throws AppError NOT_FOUND */
export async function listLiveConnections(ctx: Ctx, id: string) {
  const { userId } = requireTicket(await store.findTicket(ctx, id), null);
  return connections.listLiveForStaff(ctx, userId, PAGE_SIZE);
}

function recordFor(
  ctx: Ctx,
  { id, userId }: store.TicketRow,
  { actor, requester }: StaffRequest,
  entry: Pick<AuditEntry, 'action' | 'details' | 'before' | 'after'>,
): Promise<void> {
  return record(ctx, { ...entry, actorId: actor.userId, userId, subject: { type: 'TICKET', id }, requester });
}
