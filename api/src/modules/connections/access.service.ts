/** Access to a connection: its password, and the networks of its allow-list, whose clients need no password. */
import { AppError } from '@cellhop/contract/errors';
import { ALLOW_LIST_USED_WITHIN_DAYS, RECENT_ADDRESSES_MAX } from '@cellhop/contract/limits';
import type { Connection, ConnectionAccess } from '@cellhop/contract/connections';
import { type Access, PURCHASE_NETWORKS_MAX } from '@cellhop/contract/gateway';
import type { Actor } from '../../http/actor.ts';
import { cleanUp } from '../../db/clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import * as ledger from '../ledger/ledger.service.ts';
import * as store from './access.store.ts';
import { presentConnection } from './connection-presenter.ts';
import { findConnection } from './connections.store.ts';
import { encryptPassword, hashPassword, newCredentials } from '../../secrets/connection-credentials.ts';

export { listClientSharers } from './access.store.ts';

/**
 * Replaces the password of the user's own connection. Gateways close the tunnels of the old one.
 * @param idempotencyKey a repeated request with the same key returns the connection as it is now
 * @throws AppError NOT_FOUND, NOT_CONNECTED
 */
export async function changePassword(
  ctx: Ctx,
  actor: Actor,
  id: string,
  idempotencyKey: string | null,
): Promise<Connection> {
  const { secretKeys } = ctx.config;
  const { password } = newCredentials();
  const [encrypted, hash] = [encryptPassword(secretKeys, id, password), hashPassword(secretKeys, password)];
  await changeOwn(ctx, actor, id, 'password', (ctx) =>
    store.savePassword(ctx, id, { encrypted, hash, idempotencyKey }),
  );
  return presentConnection(ctx, (await findConnection(ctx, id))!);
}

/**
 * Replaces the allow-list of the user's own connection. Gateways close the tunnels that removed clients have opened without a
 * password.
 * @param allowList parsed by `allowListSchema`
 * @throws AppError NOT_FOUND, NOT_CONNECTED; ADDRESS_NOT_USED for a network whose clients have not used the password: otherwise users
 *   could list addresses of other users, who would then need a password
 */
export async function setAllowList(ctx: Ctx, actor: Actor, id: string, allowList: readonly string[]): Promise<void> {
  await changeOwn(ctx, actor, id, 'allow-list', async (ctx) => {
    const days = ALLOW_LIST_USED_WITHIN_DAYS;
    const [network] = await store.findUnusedNetworks(ctx, id, allowList, days);
    if (network !== undefined) throw new AppError('ADDRESS_NOT_USED', { network, days });
    const before = await store.findCollisions(ctx, id);
    await store.saveAllowList(ctx, id, allowList);
    // Their owners see at once which entries collide, or no longer do.
    for (const { otherUserId } of [...before, ...(await store.findCollisions(ctx, id))])
      ctx.changed({ userId: otherUserId }, 'connections');
  });
}

/** Holds the lock of the payer's account, so that a gateway that opens the connection at the same time reads the change or is notified. */
async function changeOwn(
  ctx: Ctx,
  actor: Actor,
  id: string,
  topic: 'password' | 'allow-list',
  change: (ctx: Ctx) => Promise<void>,
): Promise<void> {
  await ctx.tx(async (ctx) => {
    await ledger.lockBalance(ctx, actor.accountId);
    const connection = await findConnection(ctx, id);
    if (connection?.userId !== actor.userId) throw new AppError('NOT_FOUND', { thing: 'Connection' });
    if (connection.status !== 'WORK') throw new AppError('NOT_CONNECTED');
    await change(ctx);
    ctx.changed({ connectionId: id }, topic);
    ctx.changed(actor, 'connections');
  });
}

/** The allow-list of the user's own connection, which is empty after its end. @throws AppError NOT_FOUND */
export async function readOwn(ctx: Ctx, actor: Actor, id: string): Promise<ConnectionAccess> {
  const connection = await findConnection(ctx, id);
  if (connection?.userId !== actor.userId) throw new AppError('NOT_FOUND', { thing: 'Connection' });
  const [access, collisions, recent] = await Promise.all([
    store.findAccess(ctx, [id]),
    store.findCollisions(ctx, id),
    store.findRecentAddresses(ctx, id, ALLOW_LIST_USED_WITHIN_DAYS, RECENT_ADDRESSES_MAX),
  ]);
  return {
    allowList: access[0]?.allowList ?? [],
    collidingNetworks: [...new Set(collisions.map(({ network }) => network))],
    recentAddresses: recent.map(({ address, usedAt }) => ({ address, usedAt: usedAt.toISOString() })),
  };
}

/** @returns the access of the open ones among these connections, by id */
export async function readAccess(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Access>> {
  const rows = await store.findAccess(ctx, ids);
  return new Map(rows.map(({ connectionId, ...access }) => [connectionId, access]));
}

/** Where the buyers of the open connections of a node were signed in. */
export function listPurchaseNetworks(ctx: Ctx, nodeId: string): Promise<store.PurchaseNetwork[]> {
  return store.findNetworksOfNode(ctx, nodeId, PURCHASE_NETWORKS_MAX);
}

/** The same of these connections, by node. */
export async function findPurchaseNetworks(
  ctx: Ctx,
  connectionIds: readonly string[],
): Promise<Map<string, store.PurchaseNetwork[]>> {
  const byNode = new Map<string, store.PurchaseNetwork[]>();
  for (const { nodeId, ...found } of await store.findNetworks(ctx, connectionIds))
    byNode.set(nodeId, [...(byNode.get(nodeId) ?? []), found]);
  return byNode;
}

/** Records that a client from this address has used the connection's password. */
export function recordClientAddress(ctx: Ctx, connectionId: string, address: string): Promise<void> {
  return store.recordClientAddress(ctx, connectionId, address);
}

/** A scheduled task of the worker. */
export async function deleteOldClientAddresses(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'old client addresses', (ctx, limit) =>
    store.deleteOldClientAddresses(ctx, ALLOW_LIST_USED_WITHIN_DAYS, limit),
  );
}
