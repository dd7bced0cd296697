import type { Ctx } from '../../ctx.ts';

interface NewPassword {
  encrypted: Buffer;
  hash: Buffer;
  idempotencyKey: string | null;
}

/** Calls api/sql/change_password.sql. A repeated key changes nothing. Needs the lock of the payer's account. */
export async function savePassword(
  ctx: Ctx,
  id: string,
  { encrypted, hash, idempotencyKey }: NewPassword,
): Promise<void> {
  await ctx.db.query('select change_password($1, $2, $3, $4)', [id, encrypted, hash, idempotencyKey]);
}

/** Calls api/sql/replace_allow_list.sql. Needs the lock of the payer's account. */
export async function saveAllowList(ctx: Ctx, id: string, networks: readonly string[]): Promise<void> {
  await ctx.db.query('select replace_allow_list($1, $2::cidr[])', [id, networks]);
}

export interface AccessRow {
  connectionId: string;
  revision: number;
  passwordRevision: number;
  allowList: string[];
}

/** Finds open connections only. */
export function findAccess(ctx: Ctx, ids: readonly string[]): Promise<AccessRow[]> {
  return ctx.db.query(
    `select id as "connectionId", access_revision as revision, password_revision as "passwordRevision",
            array(select network::text from allowed_networks where connection_id = id order by network) as "allowList"
       from readable_connections where id = any($1::uuid[]) and status = 'WORK'`,
    [ids],
  );
}

/** Stored client addresses of a connection. Above it the oldest is deleted. */
const CLIENT_ADDRESSES_MAX = 100;

/** `used_at` is updated once an hour at most, so most logins write nothing. */
export async function recordClientAddress(ctx: Ctx, connectionId: string, address: string): Promise<void> {
  const recorded = await ctx.db.query(
    `insert into client_addresses (connection_id, address) values ($1, $2)
     on conflict (connection_id, address) do update set used_at = now()
       where client_addresses.used_at < now() - interval '1 hour'
     returning address`,
    [connectionId, address],
  );
  if (recorded.length === 0) return;
  await ctx.db.query(
    `delete from client_addresses
      where connection_id = $1 and address in
            (select address from client_addresses where connection_id = $1 order by used_at desc, address offset $2)`,
    [connectionId, CLIENT_ADDRESSES_MAX],
  );
}

/** @returns the networks without a client that has used the connection's password within these days */
export async function findUnusedNetworks(
  ctx: Ctx,
  connectionId: string,
  networks: readonly string[],
  days: number,
): Promise<string[]> {
  const rows = await ctx.db.query<{ network: string }>(
    `select network::text from unnest($2::cidr[]) as network
      where not exists (select from client_addresses
                         where connection_id = $1 and address <<= network and used_at > now() - $3 * interval '1 day')`,
    [connectionId, networks, days],
  );
  return rows.map(({ network }) => network);
}

/**
 * Finds the listed networks of a connection that other open connections of its node list as well, with their owners: clients of these
 * networks need a password (`findLoginsByAddress`).
 */
export function findCollisions(ctx: Ctx, connectionId: string): Promise<{ network: string; otherUserId: string }[]> {
  return ctx.db.query(
    `select own.network::text, others.user_id as "otherUserId"
       from allowed_networks as own
       join readable_connections as connections on connections.id = own.connection_id
       join readable_exits as exits on exits.id = connections.exit_id
       join allowed_networks as listed on listed.network = own.network and listed.connection_id <> own.connection_id
       join readable_connections as others on others.id = listed.connection_id
       join readable_exits as exits_of_others on exits_of_others.id = others.exit_id
       join readable_users as users on users.id = others.user_id
      where own.connection_id = $1 and exits_of_others.node_id = exits.node_id
        and others.status = 'WORK' and others.ending_at is null and users.status = 'ACTIVE'
      order by own.network`,
    [connectionId],
  );
}

/** Recently used addresses that are not on the allow-list, the last used first. */
export function findRecentAddresses(
  ctx: Ctx,
  connectionId: string,
  days: number,
  limit: number,
): Promise<{ address: string; usedAt: Date }[]> {
  return ctx.db.query(
    `select host(address) as address, used_at as "usedAt" from client_addresses
      where connection_id = $1 and used_at > now() - $2 * interval '1 day'
        and not exists (select from allowed_networks where connection_id = $1 and address <<= network)
      order by used_at desc, address limit $3`,
    [connectionId, days, limit],
  );
}

export interface PurchaseNetwork {
  connectionId: string;
  network: string;
}

/** Those of a node, the newest first. */
export function findNetworksOfNode(ctx: Ctx, nodeId: string, limit: number): Promise<PurchaseNetwork[]> {
  return ctx.db.query(
    `select connection_id as "connectionId", network
       from purchase_networks
       join readable_connections as connections on connections.id = connection_id
       join readable_exits as exits on exits.id = exit_id
      where node_id = $1 order by purchase_networks.created_at desc limit $2`,
    [nodeId, limit],
  );
}

export function findNetworks(ctx: Ctx, ids: readonly string[]): Promise<(PurchaseNetwork & { nodeId: string })[]> {
  return ctx.db.query(
    `select connection_id as "connectionId", network, node_id as "nodeId"
       from purchase_networks
       join readable_connections as connections on connections.id = connection_id
       join readable_exits as exits on exits.id = exit_id
      where connection_id = any($1::uuid[])`,
    [ids],
  );
}

/** The end of a connection deletes its addresses, except those recorded at that moment. */
export async function deleteOldClientAddresses(ctx: Ctx, days: number, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `with old as (
       select connection_id, address from client_addresses where used_at < now() - $1 * interval '1 day'
        order by used_at limit $2 for update skip locked
     ) delete from client_addresses using old
        where client_addresses.connection_id = old.connection_id and client_addresses.address = old.address
     returning old.address`,
    [days, limit],
  );
  return rows.length;
}

/** Whose open connections are used from an address of the user's programs, or were bought from a network where the user bought theirs. */
export async function listClientSharers(ctx: Ctx, userId: string, limit: number): Promise<string[]> {
  const rows = await ctx.db.query<{ userId: string }>(
    `with own as (select id from readable_connections where user_id = $1 and status = 'WORK'), shared as (
       select others.connection_id from client_addresses as mine join client_addresses as others using (address)
        where mine.connection_id in (select id from own)
        union
       select others.connection_id from purchase_networks as mine join purchase_networks as others using (network)
        where mine.connection_id in (select id from own)
     )
     select distinct user_id as "userId" from readable_connections
      where id in (select connection_id from shared) and user_id <> $1 order by user_id limit $2`,
    [userId, limit],
  );
  return rows.map((row) => row.userId);
}
