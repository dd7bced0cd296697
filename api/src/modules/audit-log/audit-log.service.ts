/**
 * The audit log: who did what to whom, from where and when. Entries are written in the transaction of the change. They never
 * contain passwords, codes or tokens.
 */
import type { AuditAction, SubjectType } from '@cellhop/contract/staff/audit-log.values';
import { validAddress, deviceName, type Requester } from '../../http/requester.ts';
import { cleanUp } from '../../db/clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import * as store from './audit-log.store.ts';

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
