/**
 * The audit log: who did what to whom, from where, when. Written in the transaction of the change that it tells of. What
 * it holds is for people to read, years later perhaps: never a password, a code or a token.
 */
import { addressOf, deviceOf, type Client } from '../../client.ts';
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
  /** Who has shown that it is he; undefined for a stranger and for the operator at the command line. */
  actorId?: string | undefined;
  /** The user it was done to, or tried with. */
  userId?: string | undefined;
  /** Undefined at the command line. */
  client: Client | undefined;
  details?: Record<string, string | number | boolean>;
}

export function record(ctx: Ctx, { action, actorId, userId, client, details = {} }: AuditEntry): Promise<void> {
  return store.insertEntry(ctx, {
    action,
    actorId: actorId ?? null,
    subjectType: userId === undefined ? null : 'USER',
    subjectId: userId ?? null,
    ip: client ? addressOf(client) : null,
    device: client ? deviceOf(client) : null,
    requestId: client?.requestId ?? null,
    details,
  });
}

/** What a user does to his own account. */
export function recordOwn(
  ctx: Ctx,
  action: AuditAction,
  userId: string,
  client: Client,
  details: AuditEntry['details'] = {},
): Promise<void> {
  return record(ctx, { action, actorId: userId, userId, client, details });
}

/** Entries are kept for a year; the database refuses to delete younger ones. */
export async function deleteOld(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'audit log', store.deleteOld);
}
