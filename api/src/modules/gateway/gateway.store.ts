import type { Ctx } from '../../ctx.ts';
import type { PortRange } from '@cellhop/contract/network';

export async function findNode(ctx: Ctx, tokenHash: Buffer): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ id: string }>(
    `select id from gateway_nodes
      where token_hash = $1 or (previous_token_hash = $1 and previous_token_until > now())`,
    [tokenHash],
  );
  return row?.id;
}

/** Replaces the token. The previous token stays valid for the overlap. */
export async function saveNode(ctx: Ctx, name: string, tokenHash: Buffer, overlapMs: number): Promise<void> {
  await ctx.db.query(
    `insert into gateway_nodes as node (name, token_hash) values ($1, $2)
     on conflict (name) do update
       set previous_token_hash = node.token_hash, previous_token_until = now() + $3 * interval '1 millisecond',
           token_hash = excluded.token_hash
     where node.token_hash <> excluded.token_hash`,
    [name, tokenHash, overlapMs],
  );
}

export interface NodeAddress {
  host: string;
  port: number;
}

/** The address shown to a node's customers. */
export async function saveAddress(ctx: Ctx, name: string, { host, port }: NodeAddress): Promise<void> {
  await ctx.db.query('update gateway_nodes set public_host = $2, public_port = $3 where name = $1', [name, host, port]);
}

/** Adds missing ports of the range to a node's, and removes unused ports outside of it. */
export async function saveDnsPorts(ctx: Ctx, name: string, { first, last }: PortRange): Promise<void> {
  await ctx.db.query(
    `delete from node_dns_ports using gateway_nodes
      where gateway_nodes.id = node_id and name = $1 and connection_id is null and port not between $2 and $3`,
    [name, first, last],
  );
  await ctx.db.query(
    `insert into node_dns_ports (node_id, port)
     select id, generate_series($2::int, $3::int) from gateway_nodes where name = $1 on conflict do nothing`,
    [name, first, last],
  );
}

/** The port on which this node answers a connection's DNS questions; null if another node does, or none. */
export async function findDnsPort(ctx: Ctx, nodeId: string, connectionId: string): Promise<number | null> {
  const [row] = await ctx.db.query<{ port: number }>(
    'select port from node_dns_ports where connection_id = $2 and node_id = $1',
    [nodeId, connectionId],
  );
  return row?.port ?? null;
}

export async function findConnectionOfDnsPort(ctx: Ctx, nodeId: string, port: number): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ connectionId: string | null }>(
    'select connection_id as "connectionId" from node_dns_ports where node_id = $1 and port = $2',
    [nodeId, port],
  );
  return row?.connectionId ?? undefined;
}

export function findUsedDnsPorts(ctx: Ctx, nodeId: string): Promise<{ port: number; connectionId: string }[]> {
  return ctx.db.query(
    `select port, connection_id as "connectionId" from node_dns_ports
      where node_id = $1 and connection_id is not null order by port`,
    [nodeId],
  );
}

export interface FreeDnsPorts {
  node: string;
  count: number;
}

export function countFreeDnsPorts(ctx: Ctx): Promise<FreeDnsPorts[]> {
  return ctx.db.query(
    `select name as node, (count(*) filter (where connection_id is null))::int as count
       from node_dns_ports join gateway_nodes on gateway_nodes.id = node_id group by name order by name`,
  );
}

/** `seen_at` is not updated again within this time. */
const SEEN_AT_RESOLUTION_MS = 1000;

export interface KnownRun {
  isOwn: boolean;
  isFresh: boolean;
}

export async function findRun(ctx: Ctx, runId: string, nodeId: string): Promise<KnownRun | undefined> {
  const [row] = await ctx.db.query<KnownRun>(
    `select node_id = $2 as "isOwn", seen_at > now() - $3 * interval '1 millisecond' as "isFresh"
       from gateway_runs where id = $1`,
    [runId, nodeId, SEEN_AT_RESOLUTION_MS],
  );
  return row;
}

/**
 * Registers the run, or updates when it was last seen.
 * @returns false if the run belongs to another node
 */
export async function touchRun(ctx: Ctx, runId: string, nodeId: string): Promise<boolean> {
  const rows = await ctx.db.query(
    `insert into gateway_runs (id, node_id) values ($1, $2)
     on conflict (id) do update set seen_at = now() where gateway_runs.node_id = $2
     returning id`,
    [runId, nodeId],
  );
  return rows.length === 1;
}

/** Records that the API accepts reports now. After a gap, `since` is reset. */
export async function saveHeartbeat(ctx: Ctx): Promise<void> {
  await ctx.db.query(
    'insert into listening default values on conflict (is_only) do update set since = api_available_since(), seen_at = now()',
  );
}

/** @returns milliseconds since any run was last seen; undefined if there is none */
export async function readSilence(ctx: Ctx): Promise<number | undefined> {
  const [row] = await ctx.db.query<{ silenceMs: number | null }>(
    'select (extract(epoch from clock_timestamp() - max(seen_at)) * 1000)::float8 as "silenceMs" from gateway_runs',
  );
  return row?.silenceMs ?? undefined;
}
