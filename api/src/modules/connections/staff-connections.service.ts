/** What staff do with several connections at once: end them, and export a list. */
import { AppError } from '@cellhop/contract/errors';
import { ofPlace } from '@cellhop/contract/places.values';
import type { EndConnectionsBody, EndedConnection, StaffConnection } from '@cellhop/contract/staff/connections';
import type { Actor } from '../../http/actor.ts';
import type { Requester } from '../../http/requester.ts';
import type { Ctx } from '../../ctx.ts';
import { exportList } from '../audit-log/export.service.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { endConnections } from '../billing/ending.service.ts';
import { mayStill } from '../users/users.service.ts';
import { presentForStaff } from './connection-presenter.ts';
import * as staffList from './staff-list.store.ts';

interface By {
  actor: Actor;
  requester: Requester;
}

/** Ends connections of any users as DISCONNECT_ADMIN, each with an entry in the audit log. Those that have ended stay as they are. */
export async function endSeveral(
  ctx: Ctx,
  { actor, requester }: By,
  { ids, reason }: EndConnectionsBody,
): Promise<EndedConnection[]> {
  const unique = [...new Set(ids)];
  const owners = new Map((await staffList.findOwners(ctx, unique)).map(({ id, userId }) => [id, userId]));
  const ended = await endConnections(ctx, [...owners.keys()], 'ADMIN', async (ctx, id) => {
    if (!(await mayStill(ctx, actor.userId, 'CONNECTIONS_EDIT'))) throw new AppError('FORBIDDEN');
    await record(ctx, {
      action: 'CONNECTION_ENDED',
      actorId: actor.userId,
      userId: owners.get(id),
      subject: { type: 'CONNECTION', id },
      requester,
      reason,
    });
  });
  return unique.map((id) => ({ id, outcome: ended.has(id) ? 'ENDED' : 'UNCHANGED' }));
}

/** For complaints. */
const HOLDERS_MAX = 50;

/** The connections that had an address at a time, and whose they are. */
export async function findHolders(ctx: Ctx, ip: string, at: string): Promise<{ id: string; userId: string }[]> {
  const rows = await staffList.listForStaff(ctx, { ip, at }, '-createdAt', { page: 1, size: HOLDERS_MAX });
  return staffList.findOwners(
    ctx,
    rows.map(({ id }) => id),
  );
}

export { listOpenOfNode as findOpenOfNode } from './staff-list.store.ts';

/**
 * At the command line, for a gateway that is gone for good: customers are told that the proxy went offline, and get back what they have not
 * used. @returns how many ended
 */
export async function endAllOfNode(ctx: Ctx, node: string): Promise<number> {
  const owners = new Map((await staffList.listOpenOfNode(ctx, node)).map(({ id, userId }) => [id, userId]));
  const ended = await endConnections(ctx, [...owners.keys()], 'EXIT_LOST', (ctx, id) =>
    record(ctx, {
      action: 'CONNECTION_ENDED',
      userId: owners.get(id),
      subject: { type: 'CONNECTION', id },
      requester: undefined,
    }),
  );
  return ended.size;
}

/** As a file, without passwords. @throws AppError VALIDATION */
export function exportForStaff(ctx: Ctx, by: By, filter: Omit<staffList.ConnectionFilter, 'afterId'>) {
  return exportList<StaffConnection>(ctx, by, {
    action: 'CONNECTIONS_EXPORTED',
    subjectType: 'CONNECTION',
    fileName: 'connections.csv',
    filter: { ...filter },
    count: (limit) => staffList.countForStaff(ctx, filter, limit),
    list: async (afterId, size) => {
      const rows = await staffList.listForStaff(ctx, { ...filter, afterId }, '-createdAt', { page: 1, size });
      return rows.map((row) => presentForStaff(ctx.config, row));
    },
    columns: {
      id: ({ id }) => id,
      userId: ({ user }) => user.id,
      email: ({ user }) => user.email,
      ip: ({ ip }) => ip,
      ...ofPlace((name) => (connection: StaffConnection) => connection[name]),
      status: ({ status }) => status,
      endReason: ({ endReason }) => endReason,
      refundStatus: ({ refundStatus }) => refundStatus,
      paidFor: ({ paidFor }) => paidFor,
      trafficUsedKiB: ({ trafficUsed }) => trafficUsed,
      createdAt: ({ createdAt }) => createdAt,
      disconnectAt: ({ disconnectAt }) => disconnectAt,
    },
  });
}
