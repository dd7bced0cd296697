/** Changes of a user by staff: blocking and unblocking, and another role. */
import { AppError } from '@cellhop/contract/errors';
import { blockRefusals } from '@cellhop/contract/staff/lists.values';
import type {
  BlockedUser,
  BlockUsersBody,
  ChangeUserRoleBody,
  ChangeUserStatusBody,
  StaffUser,
} from '@cellhop/contract/staff/users';
import type { Actor } from '../../http/actor.ts';
import type { Requester } from '../../http/requester.ts';
import type { Ctx } from '../../ctx.ts';
import { STAFF } from '../../live/changes.ts';
import { refuseStale } from '../../db/refusals.ts';
import { lapseRequests } from '../approvals/approvals.service.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { findDueTime, requestReset, stopResets } from '../auth/second-factor-reset.service.ts';
import { endAllSessions } from '../auth/sessions.service.ts';
import { requestEndsOfUser, closeIfNoLiveRun } from '../billing/ending.service.ts';
import * as users from '../users/users.service.ts';
import {
  findRole,
  lockExisting,
  lockPermissions,
  requireAdministrator,
  requirePermissions,
} from './permission-rules.ts';
import { getUser } from './user-directory.service.ts';

/**
 * All requests of a blocked user are refused, and their connections end: gateways are notified, and connections without a live
 * gateway run are closed here. Unblocking restores nothing: users sign in and buy again.
 * @throws AppError NOT_FOUND, PERMISSION_LACKING, LAST_ADMINISTRATOR, CHANGED_ELSEWHERE
 */
export async function changeStatus(
  ctx: Ctx,
  actor: Actor,
  userId: string,
  change: ChangeUserStatusBody,
  requester: Requester,
): Promise<StaffUser> {
  await saveStatus(ctx, actor, userId, change, requester);
  return getUser(ctx, userId);
}

/**
 * Blocks users one after another: each has a transaction and an entry in the audit log of its own, so that a refusal stops no other,
 * and a repeated request goes on where the first one ended.
 * @throws AppError VALIDATION if the caller is one of them
 */
export async function blockUsers(
  ctx: Ctx,
  actor: Actor,
  { userIds, reason }: BlockUsersBody,
  requester: Requester,
): Promise<BlockedUser[]> {
  if (userIds.includes(actor.userId))
    throw AppError.validation([{ path: 'body.userIds', message: 'must not contain the caller' }]);
  const results: BlockedUser[] = [];
  for (const userId of new Set(userIds))
    try {
      const isChanged = await saveStatus(ctx, actor, userId, { status: 'BLOCKED', reason }, requester);
      results.push({ userId, outcome: isChanged ? 'BLOCKED' : 'UNCHANGED', refusal: null });
    } catch (error) {
      const refusal = blockRefusals.find((code) => error instanceof AppError && error.code === code);
      if (refusal === undefined) throw error;
      results.push({ userId, outcome: 'REFUSED', refusal });
    }
  return results;
}

/** @returns false if the user has this status already */
async function saveStatus(
  ctx: Ctx,
  actor: Actor,
  userId: string,
  { status, reason, version }: ChangeUserStatusBody,
  requester: Requester,
): Promise<boolean> {
  const endingIds = await ctx.tx(async (ctx) => {
    const state = await lockPermissions(ctx, actor);
    // The caller may have lost it since the request began, which may block many users.
    requirePermissions(state, ['USERS_EDIT']);
    const user = await lockExisting(ctx, userId);
    if (user.status === status) return undefined;
    refuseStale(version, user.version);
    requirePermissions(state, (await findRole(ctx, user.roleName)).permissions);
    if (status === 'BLOCKED') requireAdministrator(state, ({ id }) => id === userId);
    await users.updateStatus(ctx, userId, status);
    if (status === 'BLOCKED') await lapseRequests(ctx);
    ctx.changed(STAFF, 'staff-users');
    const entry = { actorId: actor.userId, userId, requester, reason };
    const change = { before: { status: user.status }, after: { status } };
    if (status === 'ACTIVE') {
      const endedSessions = await endAllSessions(ctx, userId);
      await record(ctx, { ...entry, action: 'USER_UNBLOCKED', ...change, details: { endedSessions } });
      return [];
    }
    const ids = await requestEndsOfUser(ctx, userId, user.accountId);
    await stopResets(ctx, { userId, authorId: userId }, 'USER_BLOCKED', requester);
    // Makes open pages check their session.
    ctx.changed({ userId }, 'session');
    await record(ctx, { ...entry, action: 'USER_BLOCKED', ...change, details: { endedConnections: ids.length } });
    return ids;
  });
  for (const id of endingIds ?? []) await closeIfNoLiveRun(ctx, id);
  return endingIds !== undefined;
}

/**
 * Asks for a reset of a customer's second factor, which the customer may stop for a day.
 * @throws AppError NOT_FOUND, PERMISSION_LACKING, STAFF_SECOND_FACTOR, ACCOUNT_BLOCKED, SECOND_FACTOR_OFF, CHANGED_ELSEWHERE
 */
export async function resetSecondFactor(
  ctx: Ctx,
  actor: Actor,
  userId: string,
  { reason, version }: { reason: string; version?: number | undefined },
  requester: Requester,
): Promise<StaffUser> {
  await ctx.tx(async (ctx) => {
    requirePermissions(await lockPermissions(ctx, actor), ['USERS_EDIT']);
    const locked = await lockExisting(ctx, userId);
    if ((await findRole(ctx, locked.roleName)).permissions.length > 0) throw new AppError('STAFF_SECOND_FACTOR');
    if (await findDueTime(ctx, userId)) return;
    refuseStale(version, locked.version);
    if (locked.status === 'BLOCKED') throw new AppError('ACCOUNT_BLOCKED');
    const user = await users.findUser(ctx, userId);
    if (!user?.hasSecondFactor) throw new AppError('SECOND_FACTOR_OFF');
    await requestReset(ctx, { ...user, userId }, { authorId: actor.userId, reason, requester });
  });
  return getUser(ctx, userId);
}

/** @throws AppError NOT_FOUND, OWN_ROLE, PERMISSION_LACKING, LAST_ADMINISTRATOR, CHANGED_ELSEWHERE */
export async function changeRoleOfUser(
  ctx: Ctx,
  actor: Actor,
  userId: string,
  { role, reason, version }: ChangeUserRoleBody,
  requester: Requester,
): Promise<StaffUser> {
  if (userId === actor.userId) throw new AppError('OWN_ROLE');
  await ctx.tx(async (ctx) => {
    const state = await lockPermissions(ctx, actor);
    const user = await lockExisting(ctx, userId);
    if (user.roleName === role) return;
    refuseStale(version, user.version);
    const [before, after] = [await findRole(ctx, user.roleName), await findRole(ctx, role)];
    requirePermissions(state, [...before.permissions, ...after.permissions]);
    if (!after.permissions.includes('USERS_EDIT')) requireAdministrator(state, ({ id }) => id === userId);
    await users.updateRole(ctx, userId, role);
    await lapseRequests(ctx);
    // Open pages fetch the profile, which has the role, together with the balance.
    ctx.changed({ userId }, 'balance');
    await record(ctx, {
      action: 'USER_ROLE_CHANGED',
      actorId: actor.userId,
      userId,
      requester,
      reason,
      before: { role: before.name },
      after: { role: after.name },
    });
  });
  return getUser(ctx, userId);
}
