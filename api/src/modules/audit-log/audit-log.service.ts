/**
 * The audit log: who did what to whom, from where and when. Entries are written in the transaction of the change. They never
 * contain passwords, codes or tokens, and none is changed, or deleted within a year.
 */
import { idSchema } from '@cellhop/contract/schemas';
import type { AuditEntry as ListedEntry } from '@cellhop/contract/staff/audit-log';
import type { AuditAction, SubjectType } from '@cellhop/contract/staff/audit-log.values';
import { validAddress, deviceName, type Requester } from '../../http/requester.ts';
import { cleanUp } from '../../db/clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import { readListed, type PageQuery } from '../../http/paging.ts';
import * as store from './audit-log.store.ts';

export { listSignInsFrom } from './audit-log.store.ts';

type AuditValue = string | number | boolean | null | readonly string[];
type AuditValues = Readonly<Record<string, AuditValue>>;

export interface AuditEntry {
  action: AuditAction;
  /** The authenticated user; undefined before authentication and for the operator at the command line. */
  actorId?: string | undefined;
  /** The affected user, or the one whose account was tried. */
  userId?: string | undefined;
  /** What else was affected; by default the user. A subject without an id is named in the details. */
  subject?: { type: SubjectType; id?: string };
  /** Undefined at the command line. */
  requester: Requester | undefined;
  details?: AuditValues;
  /** Why: required for each change of money or access by staff. */
  reason?: string | undefined;
  /** The changed values only. */
  before?: AuditValues;
  after?: AuditValues;
}

export function record(ctx: Ctx, entry: AuditEntry): Promise<void> {
  const { action, actorId, userId, requester, details, reason, before, after } = entry;
  const subject = entry.subject ?? (userId === undefined ? undefined : { type: 'USER', id: userId });
  return store.insertEntry(ctx, {
    action,
    actorId: actorId ?? null,
    subjectType: subject?.type ?? null,
    subjectId: subject?.id ?? null,
    userId: userId ?? null,
    ip: requester ? validAddress(requester) : null,
    device: requester ? deviceName(requester) : null,
    requestId: requester?.requestId ?? null,
    details: {
      ...details,
      ...(reason !== undefined && { reason }),
      ...(before && { before }),
      ...(after && { after }),
    },
  });
}

/** Records an action of users on their own account. */
export function recordOwn(
  ctx: Ctx,
  action: AuditAction,
  userId: string,
  requester: Requester,
  details: AuditEntry['details'] = {},
): Promise<void> {
  return record(ctx, { action, actorId: userId, userId, requester, details });
}

/** Entries are kept for a year; a trigger refuses to delete newer ones. */
export async function deleteOld(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'audit log', store.deleteOld);
}

interface Query extends PageQuery {
  actor?: string | undefined;
  action?: string[] | undefined;
  subjectType?: string | undefined;
  subjectId?: string | undefined;
  userId?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** For staff. */
export async function listEntries(ctx: Ctx, query: Query) {
  const actorId = query.actor === undefined ? null : await findActor(ctx, query.actor.trim());
  if (actorId === undefined) return { data: [], totalPages: 0, isTruncated: false };
  const filter: store.EntryFilter = {
    actorId,
    actions: query.action ?? null,
    subjectType: query.subjectType ?? null,
    subjectId: query.subjectId ?? null,
    userId: query.userId ?? null,
    from: query.from === undefined ? null : new Date(query.from),
    to: query.to === undefined ? null : new Date(query.to),
  };
  const { rows, ...pages } = await readListed(query, {
    list: () => store.listEntries(ctx, filter, query),
    count: (limit) => store.countEntries(ctx, filter, limit),
  });
  return { data: rows.map(present), ...pages };
}

/** @returns undefined if no user has this email */
async function findActor(ctx: Ctx, actor: string): Promise<string | undefined> {
  return idSchema.safeParse(actor).success ? actor : store.findUserByEmail(ctx, actor);
}

function present(row: store.EntryRow): ListedEntry {
  const { reason, before, after, ...details } = row.details;
  return {
    id: String(row.id),
    createdAt: row.createdAt.toISOString(),
    action: row.action,
    actor: named(row.actorId, row.actorEmail),
    user: named(row.userId, row.userEmail),
    subject: row.subjectType === null ? null : { type: row.subjectType, id: row.subjectId },
    ip: row.ip,
    device: row.device,
    requestId: row.requestId,
    reason: typeof reason === 'string' ? reason : null,
    before: toValues(before),
    after: toValues(after),
    details,
  };
}

function named(id: string | null, email: string | null) {
  return id === null || email === null ? null : { id, email };
}

function toValues(stored: unknown): Record<string, unknown> | null {
  return typeof stored === 'object' && stored !== null ? { ...stored } : null;
}
