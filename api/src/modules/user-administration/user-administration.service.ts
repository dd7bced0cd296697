/** What staff do to users: blocking and unblocking. */
import { AppError } from '@cellhop/contract/errors';
import type { AdminUser, ChangeUserStatusBody } from '@cellhop/contract/users';
import type { Actor } from '../../actor.ts';
import type { Client } from '../../client.ts';
import type { Ctx } from '../../ctx.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { endSessionsOf } from '../auth/sessions.service.ts';
import { beginEndsOfUser, finishUnheard } from '../billing/ending.service.ts';
import * as users from '../users/users.service.ts';

/**
 * A blocked user is refused at each of their requests. Their connections end: gateways hear of it with their next report, and
 * where none has a connection open the bill is made here. Unblocking restores nothing: the user signs in and buys anew.
 * @throws AppError NOT_FOUND, LAST_ADMINISTRATOR
 */
export async function changeStatus(
  ctx: Ctx,
  actor: Actor,
  userId: string,
  { status, reason }: ChangeUserStatusBody,
  client: Client,
): Promise<AdminUser> {
  const endingIds = await ctx.tx(async (ctx) => {
    // Before the user's own row: two administrators who block each other wait for one another here.
    const administratorIds = status === 'BLOCKED' ? await users.lockAdministrators(ctx) : [];
    const user = await users.lockUser(ctx, userId);
    if (!user || user.status === 'DELETED') throw new AppError('NOT_FOUND', { thing: 'User' });
    if (user.status === status) return [];
    // Nobody could unblock the last one.
    if (administratorIds.length === 1 && administratorIds[0] === userId) throw new AppError('LAST_ADMINISTRATOR');
    await users.updateStatus(ctx, userId, status);
    const entry = { actorId: actor.userId, userId, client };
    if (status === 'ACTIVE') {
      const endedSessions = await endSessionsOf(ctx, userId);
      await record(ctx, { ...entry, action: 'USER_UNBLOCKED', details: { reason, endedSessions } });
      return [];
    }
    const ids = await beginEndsOfUser(ctx, userId, user.accountId);
    // Open pages are told to look again.
    ctx.changed({ userId }, 'session');
    await record(ctx, { ...entry, action: 'USER_BLOCKED', details: { reason, endedConnections: ids.length } });
    return ids;
  });
  for (const id of endingIds) await finishUnheard(ctx, id);
  const { id, email, status: saved } = (await users.findUser(ctx, userId))!;
  return { id, email, status: saved };
}
