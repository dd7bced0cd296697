/** Blocking and unblocking of users by staff. */
import { AppError } from '@cellhop/contract/errors';
import type { AdminUser, ChangeUserStatusBody } from '@cellhop/contract/users';
import type { Actor } from '../../actor.ts';
import type { Requester } from '../../requester.ts';
import type { Ctx } from '../../ctx.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { endSessionsOf } from '../auth/sessions.service.ts';
import { requestEndsOfUser, closeIfNoLiveRun } from '../billing/ending.service.ts';
import * as users from '../users/users.service.ts';

/**
 * All requests of a blocked user are refused, and their connections end: gateways are notified, and connections without a live
 * gateway run are closed here. Unblocking restores nothing: users sign in and buy again.
 * @throws AppError NOT_FOUND, LAST_ADMINISTRATOR
 */
export async function changeStatus(
  ctx: Ctx,
  actor: Actor,
  userId: string,
  { status, reason }: ChangeUserStatusBody,
  requester: Requester,
): Promise<AdminUser> {
  const endingIds = await ctx.tx(async (ctx) => {
    // Locked before the user's own row, so that administrators who block each other are serialized.
    const administratorIds = status === 'BLOCKED' ? await users.lockAdministrators(ctx) : [];
    const user = await users.lockUser(ctx, userId);
    if (!user || user.status === 'DELETED') throw new AppError('NOT_FOUND', { thing: 'User' });
    if (user.status === status) return [];
    // Nobody could unblock the last administrator.
    if (administratorIds.length === 1 && administratorIds[0] === userId) throw new AppError('LAST_ADMINISTRATOR');
    await users.updateStatus(ctx, userId, status);
    const entry = { actorId: actor.userId, userId, requester };
    if (status === 'ACTIVE') {
      const endedSessions = await endSessionsOf(ctx, userId);
      await record(ctx, { ...entry, action: 'USER_UNBLOCKED', details: { reason, endedSessions } });
      return [];
    }
    const ids = await requestEndsOfUser(ctx, userId, user.accountId);
    // Makes open pages check their session.
    ctx.changed({ userId }, 'session');
    await record(ctx, { ...entry, action: 'USER_BLOCKED', details: { reason, endedConnections: ids.length } });
    return ids;
  });
  for (const id of endingIds) await closeIfNoLiveRun(ctx, id);
  const { id, email, status: saved } = (await users.findUser(ctx, userId))!;
  return { id, email, status: saved };
}
