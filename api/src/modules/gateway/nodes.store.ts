import { certificateEndsSoonFrom } from '@cellhop/contract/certificates';
import type { NodeStatus } from '@cellhop/contract/node-status';
import type { Ctx } from '../../ctx.ts';

/** After a longer silence a run is not live. Runs without usage report every two seconds. */
const LIVE_WITHIN_MS = 15_000;

export interface NodeRow {
  id: string;
  name: string;
  isLive: boolean;
  isDraining: boolean;
  version: number;
  lastReportAt: Date | null;
  softwareVersion: string | null;
  relay: string | null;
  tunnels: number | null;
  bytesPerSecond: number | null;
  /** Null: those of the settings. */
  publicHost: string | null;
  publicPort: number | null;
  certificateNames: string[] | null;
  certificateEndsAt: Date | null;
  freeDnsPorts: number;
  dnsPorts: number;
  exits: number;
  openConnections: number;
  runs: { from: string; to: string }[];
  lastFailure: { reason: string; at: string } | null;
}

/** More processes than a node starts in a day, unless it crashes again and again: then the last ones. */
const RUNS_MAX = 100;

/** @param id null for all nodes, by name */
export function listNodes(ctx: Ctx, id: string | null, limit: number): Promise<NodeRow[]> {
  return ctx.db.query(
    `with open as (
       select node_id, count(*)::int as count
         from readable_connections as connections join exits on exits.id = exit_id
        where status = 'WORK' group by node_id
     ), ports as (
       select node_id, count(*)::int as total, (count(*) filter (where connection_id is null))::int as free
         from node_dns_ports group by node_id
     ), runs as (
       select node_id, max(seen_at) as last_report_at, coalesce(bool_or(is_live), false) as is_live,
              (array_agg(software_version order by seen_at desc))[1] as software_version,
              (array_agg(relay order by seen_at desc))[1] as relay,
              (sum(tunnels) filter (where is_live))::int as tunnels,
              (sum(bytes_per_second) filter (where is_live))::float8 as bytes_per_second
         from (select *, silence_since(seen_at) < $3 * interval '1 millisecond' as is_live from gateway_runs) as run
        group by node_id
     )
     select nodes.id, name, coalesce(is_live, false) as "isLive", is_draining as "isDraining", version,
            last_report_at as "lastReportAt", software_version as "softwareVersion", relay, tunnels,
            bytes_per_second as "bytesPerSecond", public_host as "publicHost", public_port as "publicPort",
            certificate_names as "certificateNames", certificate_ends_at as "certificateEndsAt",
            coalesce(ports.free, 0) as "freeDnsPorts", coalesce(ports.total, 0) as "dnsPorts",
            (select count(*)::int from exits where exits.node_id = nodes.id) as exits,
            coalesce(open.count, 0) as "openConnections",
            (select coalesce(json_agg(json_build_object('from', ${utc('started_at')}, 'to', ${utc('seen_at')}) order by started_at), '[]')
               from (select started_at, seen_at from gateway_runs
                      where node_id = nodes.id and seen_at > now() - interval '1 day'
                      order by started_at desc limit $4) as run) as runs,
            (select json_build_object('reason', reason, 'at', ${utc('checked_at')})
               from (select reason, checked_at from exit_checks
                      where node_id = nodes.id and reason is not null and checked_at is not null
                      order by checked_at desc limit 1) as failure) as "lastFailure"
       from gateway_nodes as nodes
       left join open on open.node_id = nodes.id
       left join ports on ports.node_id = nodes.id
       left join runs on runs.node_id = nodes.id
      where $1::uuid is null or nodes.id = $1
      order by name limit $2`,
    [id, limit, LIVE_WITHIN_MS, RUNS_MAX],
  );
}

/** In JSON, as JavaScript writes it. */
function utc(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

export interface LockedNode {
  name: string;
  isDraining: boolean;
  version: number;
}

/** Locks the node until the end of the transaction. */
export async function lockNode(ctx: Ctx, id: string): Promise<LockedNode | undefined> {
  const [row] = await ctx.db.query<LockedNode>(
    'select name, is_draining as "isDraining", version from gateway_nodes where id = $1 for no key update',
    [id],
  );
  return row;
}

export async function setDraining(ctx: Ctx, id: string, isDraining: boolean): Promise<void> {
  await ctx.db.query('update gateway_nodes set is_draining = $2, version = version + 1 where id = $1', [
    id,
    isDraining,
  ]);
}

export async function findByName(ctx: Ctx, name: string): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ id: string }>('select id from gateway_nodes where name = $1', [name]);
  return row?.id;
}

/** @param tokenHash of no token */
export async function disable(ctx: Ctx, id: string, tokenHash: Buffer): Promise<void> {
  await ctx.db.query(
    `update gateway_nodes
        set token_hash = $2, previous_token_hash = null, previous_token_until = null, is_draining = true, version = version + 1
      where id = $1`,
    [id, tokenHash],
  );
}

/** @param certificate undefined: the node serves no TLS */
export async function saveCertificate(ctx: Ctx, nodeId: string, certificate: NodeStatus['certificate']): Promise<void> {
  await ctx.db.query(
    `update gateway_nodes set certificate_names = $2, certificate_ends_at = $3, certificate_ends_soon_at = $4
      where id = $1 and (certificate_names, certificate_ends_at, certificate_ends_soon_at)
                        is distinct from ($2::text[], $3::timestamptz, $4::timestamptz)`,
    [
      nodeId,
      certificate?.names ?? null,
      certificate?.endsAt ?? null,
      certificate ? certificateEndsSoonFrom(certificate) : null,
    ],
  );
}

/**
 * Certificates that end soon, or have expired, each once however many nodes have it. Nodes that have not reported for a day
 * do not count: one that was taken down keeps what it reported last.
 * @returns `key`: of the certificate
 */
export function listEndingCertificates(ctx: Ctx, limit: number): Promise<{ key: string; isExpired: boolean }[]> {
  return ctx.db.query(
    `select md5(array_to_string(certificate_names, ',') || certificate_ends_at::text) as key,
            certificate_ends_at < now() as "isExpired"
       from gateway_nodes as nodes
      where certificate_ends_soon_at < now()
        and exists (select from gateway_runs where node_id = nodes.id and seen_at > now() - interval '1 day')
      group by certificate_names, certificate_ends_at
      order by certificate_ends_at, key limit $1`,
    [limit],
  );
}

/** @returns false if the run belongs to another node */
export async function saveStatus(
  ctx: Ctx,
  nodeId: string,
  runId: string,
  status: NodeStatus & { contractVersion: number },
): Promise<boolean> {
  const rows = await ctx.db.query(
    `insert into gateway_runs (id, node_id, software_version, tunnels, bytes_per_second, contract_version, relay, reported_at)
     values ($1, $2, $3, $4, $5, $6, $7, now())
     on conflict (id) do update
        set software_version = excluded.software_version, tunnels = excluded.tunnels,
            bytes_per_second = excluded.bytes_per_second, contract_version = excluded.contract_version,
            relay = excluded.relay, reported_at = excluded.reported_at
      where gateway_runs.node_id = $2
     returning id`,
    [
      runId,
      nodeId,
      status.softwareVersion,
      status.tunnels,
      status.bytesPerSecond,
      status.contractVersion,
      status.relay ?? null,
    ],
  );
  return rows.length === 1;
}
