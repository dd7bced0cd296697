/** The audit log for staff. Read-only. */
import { idSchema } from '@cellhop/contract/schemas';
import type { AuditEntry } from '@cellhop/contract/staff/audit-log';
import type { Ctx } from '../../ctx.ts';
import { readListed, type PageQuery } from '../../http/paging.ts';
import * as store from './entries.store.ts';

interface Query extends PageQuery {
  actor?: string | undefined;
  action?: string[] | undefined;
  subjectType?: string | undefined;
  subjectId?: string | undefined;
  userId?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

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

function present(row: store.EntryRow): AuditEntry {
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
