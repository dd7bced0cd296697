/**
 * The audit log: who did what to whom, from where and when. Entries are written in the transaction of the change. They never
 * contain passwords, codes or tokens.
 */
import { addressOf, deviceOf, type Requester } from '../../requester.ts';
import { cleanUp } from '../../clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import * as store from './audit-log.store.ts';

export type AuditAction =
  | 'SIGN_UP'
  | 'EMAIL_CONFIRMED'
  | 'SIGN_IN'
  | 'SIGN_IN_FAILED'
  | 'SIGN_IN_THROTTLED'
  | 'SIGN_OUT'
  | 'SESSION_REVOKED'
  | 'OTHER_SESSIONS_REVOKED'
  | 'REFRESH_TOKEN_REUSED'
  | 'PASSWORD_RECOVERY_REQUESTED'
  | 'PASSWORD_RECOVERED'
  | 'PASSWORD_CHANGED'
  | 'PROOF_FAILED'
  | 'PROOF_THROTTLED'
  | 'SECOND_FACTOR_SET_UP'
  | 'SECOND_FACTOR_ENABLED'
  | 'SECOND_FACTOR_DISABLED'
  | 'RECOVERY_CODE_USED'
  | 'RECOVERY_CODES_RENEWED'
  | 'ADMINISTRATOR_MADE'
  | 'USER_BLOCKED'
  | 'USER_UNBLOCKED'
  | 'NOTIFICATION_SENT'
  | 'BROADCAST_SENT'
  | 'PROMO_CODE_CREATED';

export interface AuditEntry {
  action: AuditAction;
  /** The authenticated user; undefined before authentication and for the operator at the command line. */
  actorId?: string | undefined;
  /** The affected user, or the one whose account was tried. */
  userId?: string | undefined;
  /** Undefined at the command line. */
  requester: Requester | undefined;
  details?: Record<string, string | number | boolean>;
}

export function record(ctx: Ctx, { action, actorId, userId, requester, details = {} }: AuditEntry): Promise<void> {
  return store.insertEntry(ctx, {
    action,
    actorId: actorId ?? null,
    subjectType: userId === undefined ? null : 'USER',
    subjectId: userId ?? null,
    ip: requester ? addressOf(requester) : null,
    device: requester ? deviceOf(requester) : null,
    requestId: requester?.requestId ?? null,
    details,
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
