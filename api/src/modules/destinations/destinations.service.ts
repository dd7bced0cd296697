/** Destinations that no customer may reach: staff enter them, or import lists. Each change has a revision, by which gateways fetch all of them. */
import type { Output } from '@cellhop/contract/endpoint';
import { AppError } from '@cellhop/contract/errors';
import {
  destinationOfLine,
  parseRefusedDestination,
  REFUSED_DESTINATIONS_MAX,
  REFUSED_DESTINATIONS_PAGE,
} from '@cellhop/contract/refused-destinations';
import type { readRefusedPage } from '@cellhop/contract/refused-pages';
import type { DestinationList, RefusedDestination } from '@cellhop/contract/staff/refused-destinations';
import type { Ctx } from '../../ctx.ts';
import { type PageQuery, readListed } from '../../http/paging.ts';
import type { Requester } from '../../http/requester.ts';
import { STAFF } from '../../live/changes.ts';
import { type AuditEntry, record } from '../audit-log/audit-log.service.ts';
import { findHolders } from '../connections/staff-connections.service.ts';
import * as store from './destinations.store.ts';

interface Editor {
  actorId: string;
  requester: Requester;
}

interface Refusal {
  destination: string;
  reason: string;
  complaint?: Complaint | undefined;
}

interface Complaint {
  ip: string;
  at: string;
}

/** The list of what staff enter one by one. */
const ENTERED = '';
/** Of the lines that are no destinations, the first ones are named. */
const LINES_NAMED_MAX = 20;
const LINE_SHOWN_MAX = 100;
const KINDS =
  'a name such as example.com, .example.com with everything below it, an address, or a network of /8 (IPv6: /16) or smaller';

export { readRevision } from './destinations.store.ts';

/** A page for a gateway. @param after the last entry of the page before */
export async function readPage(ctx: Ctx, after = ''): Promise<Output<typeof readRefusedPage>['data']> {
  // Of a change in between, the node gets the newer page under the older revision, and asks again.
  const revision = await store.readRevision(ctx);
  const entries = await store.listDestinations(ctx, after, REFUSED_DESTINATIONS_PAGE);
  return { revision, entries, isLast: entries.length < REFUSED_DESTINATIONS_PAGE };
}

export async function listEntries(ctx: Ctx, { search, list, ...page }: store.Filter & PageQuery) {
  const filter = { search, list };
  const { rows, ...pages } = await readListed(page, {
    list: () => store.listEntries(ctx, filter, page),
    count: (limit) => store.countEntries(ctx, filter, limit),
  });
  return { data: rows.map(present), ...pages };
}

export async function listLists(ctx: Ctx): Promise<DestinationList[]> {
  return (await store.listLists(ctx)).map(presentList);
}

/** @throws AppError VALIDATION, TOO_MANY_DESTINATIONS */
export function refuse(
  ctx: Ctx,
  editor: Editor,
  { destination: text, reason, complaint }: Refusal,
): Promise<RefusedDestination> {
  const destination = parseRefusedDestination(text);
  if (destination === undefined) throw AppError.validation([{ path: 'body.destination', message: `must be ${KINDS}` }]);
  return change(ctx, async (ctx) => {
    requireRoom((await store.countEntries(ctx, {}, REFUSED_DESTINATIONS_MAX)) + 1);
    if ((await store.insertEntries(ctx, ENTERED, [destination], reason)) > 0)
      await recordChange(ctx, editor, {
        action: 'DESTINATION_REFUSED',
        details: { destination, ...(await trace(ctx, complaint)) },
        reason,
      });
    return present((await store.findEntry(ctx, ENTERED, destination))!);
  });
}

/** @throws AppError NOT_FOUND */
export function allow(ctx: Ctx, editor: Editor, id: string): Promise<void> {
  return change(ctx, async (ctx) => {
    const removed = await store.deleteEntry(ctx, id);
    if (!removed) throw new AppError('NOT_FOUND', { thing: 'Destination' });
    const { destination, list } = removed;
    await recordChange(ctx, editor, { action: 'DESTINATION_ALLOWED', details: { destination, list: list || null } });
  });
}

/** Replaces a list by a file. With lines that are no destinations nothing changes. @throws AppError VALIDATION, TOO_MANY_DESTINATIONS */
export async function importList(ctx: Ctx, editor: Editor, list: string, content: Buffer) {
  const { destinations, wrong } = readFile(content);
  if (wrong.length > 0) {
    const errors = wrong.slice(0, LINES_NAMED_MAX);
    return { entries: 0, added: 0, removed: 0, errors, errorCount: wrong.length };
  }
  if (destinations.length === 0)
    throw AppError.validation([{ path: 'body', message: 'the file names no destination' }]);
  const counts = await change(ctx, async (ctx) => {
    requireRoom((await store.countOthers(ctx, list)) + destinations.length);
    const removed = await store.deleteOthers(ctx, list, destinations);
    const added = await store.insertEntries(ctx, list, destinations, null);
    const details = { list, entries: destinations.length, added, removed };
    await recordChange(ctx, editor, { action: 'DESTINATION_LIST_IMPORTED', details });
    return { entries: destinations.length, added, removed };
  });
  return { ...counts, errors: [], errorCount: 0 };
}

/** @throws AppError NOT_FOUND */
export function removeList(ctx: Ctx, editor: Editor, list: string): Promise<number> {
  return change(ctx, async (ctx) => {
    const removed = await store.deleteOthers(ctx, list, []);
    if (removed === 0) throw new AppError('NOT_FOUND', { thing: 'List' });
    await recordChange(ctx, editor, { action: 'DESTINATION_LIST_REMOVED', details: { list, removed } });
    return removed;
  });
}

/** For the audit log: the connections that a complaint is about. */
async function trace(ctx: Ctx, complaint: Complaint | undefined): Promise<AuditEntry['details']> {
  if (complaint === undefined) return {};
  const holders = await findHolders(ctx, complaint.ip, complaint.at);
  return {
    ...complaint,
    connections: holders.map(({ id }) => id),
    users: [...new Set(holders.map(({ userId }) => userId))],
  };
}

/** One change at a time. Gateways fetch the list after it. */
function change<Result>(ctx: Ctx, work: (ctx: Ctx) => Promise<Result>): Promise<Result> {
  return ctx.tx(async (ctx) => {
    await store.renewRevision(ctx);
    const result = await work(ctx);
    ctx.changed(STAFF, 'destinations');
    ctx.changed(STAFF, 'staff-catalogue');
    return result;
  });
}

function requireRoom(entries: number): void {
  if (entries > REFUSED_DESTINATIONS_MAX)
    throw new AppError('TOO_MANY_DESTINATIONS', { maximum: REFUSED_DESTINATIONS_MAX });
}

function readFile(content: Buffer) {
  const lines = content
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/);
  const read = lines
    .map((line, index) => ({ line: index + 1, text: destinationOfLine(line) }))
    .filter(({ text }) => text !== '')
    .map(({ line, text }) => ({ line, text, destination: parseRefusedDestination(text) }));
  const wrong = read.filter(({ destination }) => destination === undefined);
  return {
    destinations: [...new Set(read.flatMap(({ destination }) => destination ?? []))],
    wrong: wrong.map(({ line, text }) => ({ line, text: text.slice(0, LINE_SHOWN_MAX) })),
  };
}

const present = ({ createdAt, list, ...row }: store.DestinationRow): RefusedDestination => ({
  ...row,
  list: list === ENTERED ? null : list,
  createdAt: createdAt.toISOString(),
});

const presentList = ({ importedAt, ...row }: store.ListRow): DestinationList => ({
  ...row,
  importedAt: importedAt.toISOString(),
});

function recordChange(
  ctx: Ctx,
  editor: Editor,
  entry: Pick<AuditEntry, 'action' | 'details' | 'reason'>,
): Promise<void> {
  return record(ctx, { ...editor, ...entry, subject: { type: 'DESTINATION' } });
}
