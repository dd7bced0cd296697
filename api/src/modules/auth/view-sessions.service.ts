/**
 * View as user: a member of staff gets a token that reads what the user can read: GET requests only, no secrets, no exports
 * (http/route.ts). A view ends after 30 minutes, when their own session ends, or when they lose the permission.
 */
import { AppError } from '@cellhop/contract/errors';
import type { View } from '@cellhop/contract/staff/view-as';
import { randomUUID } from 'node:crypto';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import type { Requester } from '../../http/requester.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { notify } from '../notifications/notifications.service.ts';
import { findUser, secondFactorState } from '../users/users.service.ts';
import { countView } from './attempts.ts';
import * as sessions from './sessions.store.ts';
import { issueViewToken, type Claims } from './tokens.ts';
import * as store from './view-sessions.store.ts';

const VIEW_LIFETIME_MS = 30 * 60 * 1000;

/**
 * As for blocking, staff cannot see as a user who holds a permission that they lack.
 * @throws AppError NOT_FOUND for an unknown or deleted user, and for the viewer's own account; PERMISSION_LACKING, TOO_MANY_VIEWS
 */
export async function startView(
  ctx: Ctx,
  viewer: Actor,
  { userId, reason }: { userId: string; reason: string },
  requester: Requester,
): Promise<View> {
  const user = await findUser(ctx, userId);
  if (!user || user.status === 'DELETED' || userId === viewer.userId)
    throw new AppError('NOT_FOUND', { thing: 'User' });
  const lacking = user.permissions.find((permission) => !viewer.permissions.has(permission));
  if (lacking !== undefined) throw new AppError('PERMISSION_LACKING', { permission: lacking });
  await countView(ctx, viewer.userId);
  const id = randomUUID();
  const times = await ctx.tx(async (ctx) => {
    const view = { id, viewerId: viewer.userId, viewerSessionId: viewer.sessionId, userId };
    const inserted = await store.insertView(ctx, { ...view, lifetimeMs: VIEW_LIFETIME_MS });
    const entry = { action: 'USER_VIEWED', actorId: viewer.userId, userId, requester, reason } as const;
    await record(ctx, { ...entry, details: { viewId: id } });
    await notify(ctx, userId, `view:${id}`, { kind: 'ACCOUNT_VIEWED', details: {} });
    return inserted;
  });
  const claims = { userId, sessionId: id, viewerId: viewer.userId };
  const accessToken = await issueViewToken(ctx.config.secretKeys, claims, times);
  return { id, user: { id: userId, email: user.email }, accessToken, expiredAccessTokenAt: times.expiredAt.getTime() };
}

/** @throws AppError NOT_FOUND if it is not an open view of this member of staff */
export function endView(ctx: Ctx, viewer: Actor, id: string, requester: Requester): Promise<Date> {
  return ctx.tx(async (ctx) => {
    const ended = await store.endView(ctx, { id, viewerId: viewer.userId });
    if (!ended) throw new AppError('NOT_FOUND', { thing: 'View' });
    const { userId, endedAt } = ended;
    await record(ctx, {
      action: 'USER_VIEW_ENDED',
      actorId: viewer.userId,
      userId,
      requester,
      details: { viewId: id },
    });
    return endedAt;
  });
}

/** The viewed user, without permissions. @throws AppError UNAUTHORIZED */
export async function authenticateViewer(ctx: Ctx, claims: Claims & { viewerId: string }): Promise<Actor> {
  const { userId, sessionId, viewerId } = claims;
  const viewerSessionId = await store.findOpenView(ctx, { id: sessionId, viewerId, userId });
  if (viewerSessionId === undefined) throw new AppError('UNAUTHORIZED');
  const [viewer, user] = await Promise.all([
    sessions.findActor(ctx, { userId: viewerId, sessionId: viewerSessionId }),
    findUser(ctx, userId),
  ]);
  const isAllowed =
    viewer?.status === 'ACTIVE' &&
    viewer.permissions.includes('USERS_VIEW_AS') &&
    secondFactorState(ctx.config, viewer) !== 'DUE';
  const isBelow = user?.permissions.every((permission) => viewer?.permissions.includes(permission)) === true;
  if (!isAllowed || !isBelow || user.status === 'DELETED') throw new AppError('UNAUTHORIZED');
  const { accountId, languageCode } = user;
  return { userId, sessionId, accountId, languageCode, permissions: new Set(), isSecondFactorDue: false, viewerId };
}
