/** Who may use a connection: whoever has its password, and clients from the networks of its allow-list. */
import { AppError } from '@cellhop/contract/errors';
import { ALLOW_LIST_USED_WITHIN_DAYS } from '@cellhop/contract/limits';
import type { Connection } from '@cellhop/contract/connections';
import type { Access } from '@cellhop/contract/gateway';
import type { Actor } from '../../actor.ts';
import { cleanUp } from '../../clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import * as ledger from '../ledger/ledger.service.ts';
import * as store from './access.store.ts';
import { presentConnection } from './connection-presenter.ts';
import { findConnection } from './connections.store.ts';
import { encryptPassword, hashPassword, newCredentials } from './credentials.ts';

/** Gives the user's own connection a new password. Gateways cut the tunnels of the old one. @throws AppError NOT_FOUND, NOT_CONNECTED */
export async function changePassword(ctx: Ctx, actor: Actor, id: string): Promise<Connection> {
  const { secretKeys } = ctx.config;
  const { password } = newCredentials();
  await changeOwn(ctx, actor, id, 'password', (ctx) =>
    store.savePassword(ctx, id, encryptPassword(secretKeys, id, password), hashPassword(secretKeys, password)),
  );
  return presentConnection(ctx, (await findConnection(ctx, id))!);
}

/**
 * Replaces the addresses and networks whose clients need no password on the user's own connection. Gateways cut the tunnels that
 * clients of others have opened without one.
 * @param allowList as `allowListSchema` gives it
 * @throws AppError NOT_FOUND, NOT_CONNECTED; ADDRESS_NOT_USED for a network from which nobody has used the password: otherwise anybody
 *   could list the addresses of others, who would then need a password
 */
export async function setAllowList(ctx: Ctx, actor: Actor, id: string, allowList: readonly string[]): Promise<void> {
  await changeOwn(ctx, actor, id, 'allow-list', async (ctx) => {
    const days = ALLOW_LIST_USED_WITHIN_DAYS;
    const [network] = await store.findUnusedNetworks(ctx, id, allowList, days);
    if (network !== undefined) throw new AppError('ADDRESS_NOT_USED', { network, days });
    await store.saveAllowList(ctx, id, allowList);
  });
}

/** Under the lock of the payer's account: a gateway that opens the connection meanwhile is told of the change, or sees it. */
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

/** Of those that are open. */
export async function readAccess(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Access>> {
  const rows = await store.findAccess(ctx, ids);
  return new Map(rows.map(({ connectionId, ...access }) => [connectionId, access]));
}

/** A client from this address has used the connection's password. */
export function noteClientAddress(ctx: Ctx, connectionId: string, address: string): Promise<void> {
  return store.noteClientAddress(ctx, connectionId, address);
}

/** Run again and again by the worker. */
export async function deleteOldAddresses(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'old addresses of clients', (ctx, limit) =>
    store.deleteOldAddresses(ctx, ALLOW_LIST_USED_WITHIN_DAYS, limit),
  );
}
