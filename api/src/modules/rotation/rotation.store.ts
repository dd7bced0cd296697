import type { ConnectionStatus } from '@cellhop/contract/connections';
import type { RotationReport } from '@cellhop/contract/exit-checks';
import type { RotationLimits } from '@cellhop/contract/staff/exit-rotation';
import type { Ctx } from '../../ctx.ts';
import type { LinkedExit } from '../../secrets/rotation-links.ts';
import type { RotationRow } from './rotation-state.ts';

/** Of the view `rotation_states`, joined as `rotation`. */
export const SELECT_ROTATION = `rotation.exit_id is not null as rotates, rotation.cooldown_seconds as "cooldownSeconds", last_connection_id as "lastConnectionId",
  rotation.ordered_at as "orderedAt", rotation.called_at as "calledAt", rotation.finished_at as "finishedAt", rotation.outcome as "rotationOutcome"`;

export interface RotatedConnection extends RotationRow {
  id: string;
  userId: string;
  status: ConnectionStatus;
  exitId: string;
  nodeId: string;
  changesPerHour: number | null;
  /** Of the contract, as the last run of its node has stated it; null: none has. */
  nodeVersion: number | null;
}

/** Until the end of the transaction, no other order or change of the link begins. */
export async function lockRotation(ctx: Ctx, exitId: string): Promise<void> {
  await ctx.db.query('select from exit_rotations where exit_id = $1 for no key update', [exitId]);
}

export async function findRotatedConnection(ctx: Ctx, id: string): Promise<RotatedConnection | undefined> {
  const [row] = await ctx.db.query<RotatedConnection>(
    `select connections.id, user_id as "userId", status, connections.exit_id as "exitId", node_id as "nodeId", changes_per_hour as "changesPerHour", ${SELECT_ROTATION},
            (select contract_version from readable_gateway_runs as runs where runs.node_id = exits.node_id order by seen_at desc limit 1) as "nodeVersion"
       from readable_connections as connections
       join readable_exits as exits on exits.id = connections.exit_id
       left join rotation_states as rotation on rotation.exit_id = connections.exit_id
      where connections.id = $1`,
    [id],
  );
  return row;
}

export interface ChangeRow {
  outcome: RotationRow['rotationOutcome'];
  oldIp: string | null;
  newIp: string | null;
  seconds: number;
}

/** The last change of an exit. */
export async function findLastChange(ctx: Ctx, exitId: string): Promise<ChangeRow | undefined> {
  const [row] = await ctx.db.query<ChangeRow>(
    `select outcome, host(old_address) as "oldIp", host(new_address) as "newIp",
            greatest(0, extract(epoch from coalesce(finished_at, now()) - ordered_at))::int as seconds
       from exit_changes where exit_id = $1 order by ordered_at desc limit 1`,
    [exitId],
  );
  return row;
}

/** Seconds until one change fewer lies in the past hour; undefined if there are fewer than `changesMax`. Those that asked no farm do not count. */
export async function secondsUntilNext(ctx: Ctx, exitId: string, changesMax: number): Promise<number | undefined> {
  const [row] = await ctx.db.query<{ seconds: number }>(
    `select greatest(1, ceil(extract(epoch from ordered_at + interval '1 hour' - now())))::int as seconds from exit_changes
      where exit_id = $1 and called_at is not null and ordered_at > now() - interval '1 hour'
      order by ordered_at desc offset $2 - 1 limit 1`,
    [exitId, changesMax],
  );
  return row?.seconds;
}

export async function insertChange(ctx: Ctx, exitId: string, connectionId: string): Promise<void> {
  await ctx.db.query(
    `insert into exit_changes (exit_id, connection_id, old_address)
     select $1, $2, coalesce((select seen_address from exit_states where exit_id = $1), (select last_address from rotation_states where exit_id = $1))
         on conflict do nothing`,
    [exitId, connectionId],
  );
}

/** Exits of a node whose change is awaited, and whether its order waits for a node. */
export function findRotating(ctx: Ctx, nodeId: string): Promise<{ exitId: string; isTaken: boolean }[]> {
  return ctx.db.query(
    `select exit_id as "exitId", taken_at is not null as "isTaken"
       from exit_changes join readable_exits as exits on exits.id = exit_id where finished_at is null and node_id = $1`,
    [nodeId],
  );
}

export interface TakenOrder extends LinkedExit {
  id: string;
  exitId: string;
  linkEncrypted: Buffer;
}

/** For one run of the node. */
export function takeOrders(ctx: Ctx, nodeId: string, limit: number): Promise<TakenOrder[]> {
  return ctx.db.query(
    `with waiting as (
       select exit_changes.id from exit_changes join readable_exits as exits on exits.id = exit_id
        where finished_at is null and taken_at is null and node_id = $1 order by ordered_at limit $2 for no key update of exit_changes skip locked
     ), taken as (
       update exit_changes set taken_at = now() from waiting where waiting.id = exit_changes.id returning exit_changes.id, exit_id
     )
     select taken.id, taken.exit_id as "exitId", kind as "exitKind", parameters, link_encrypted as "linkEncrypted"
       from taken join readable_exits as exits on exits.id = taken.exit_id join exit_rotations using (exit_id)`,
    [nodeId, limit],
  );
}

/** @returns the exits whose links were called */
export async function saveCalled(ctx: Ctx, nodeId: string, reports: readonly RotationReport[]): Promise<string[]> {
  const rows = await ctx.db.query<{ exitId: string }>(
    `update exit_changes set called_at = now(), old_address = coalesce(report.address, old_address)
       from unnest($2::uuid[], $3::inet[]) as report (id, address), readable_exits as exits
      where exit_changes.id = report.id and exits.id = exit_id and node_id = $1 and finished_at is null and called_at is null
     returning exit_id as "exitId"`,
    [nodeId, reports.map(({ id }) => id), reports.map(({ address }) => address ?? null)],
  );
  return rows.map(({ exitId }) => exitId);
}

export interface FinishedChange {
  exitId: string;
  userId: string;
}

const FINISHED = `
  select finished.exit_id as "exitId", user_id as "userId" from finished
    join readable_connections as connections on connections.id = finished.connection_id`;

export function saveFailed(ctx: Ctx, nodeId: string, reports: readonly RotationReport[]): Promise<FinishedChange[]> {
  return ctx.db.query(
    `with finished as (
       update exit_changes set finished_at = now(), outcome = 'FAILED', reason = report.reason
         from unnest($2::uuid[], $3::text[]) as report (id, reason), readable_exits as exits
        where exit_changes.id = report.id and exits.id = exit_id and node_id = $1 and finished_at is null
       returning exit_id, connection_id
     ) ${FINISHED}`,
    [nodeId, reports.map(({ id }) => id), reports.map(({ reason }) => reason ?? null)],
  );
}

/** A node that was killed may have called the link without a report. */
const UNREPORTED_CALL_MS = 30_000;

/** What checks have seen since the links were called: another address ends the change. The first one seen is the old one, if that is not known. */
export async function saveSeen(
  ctx: Ctx,
  seen: readonly { exitId: string; address: string }[],
): Promise<FinishedChange[]> {
  return ctx.db.query(
    `with awaited as (
       select exit_changes.id, seen.address, old_address is not null as is_known from exit_changes
         join unnest($1::uuid[], $2::inet[]) as seen (exit_id, address) using (exit_id)
        where finished_at is null and (called_at is not null or taken_at < now() - $3 * interval '1 millisecond')
          and coalesce(family(old_address) = family(seen.address) and old_address <> seen.address, old_address is null)
        order by exit_id for no key update of exit_changes
     ), first as (
       update exit_changes set old_address = awaited.address from awaited where exit_changes.id = awaited.id and not is_known
     ), finished as (
       update exit_changes set finished_at = now(), outcome = 'CHANGED', new_address = awaited.address, called_at = coalesce(called_at, taken_at)
         from awaited where exit_changes.id = awaited.id and is_known returning exit_id, connection_id
     ) ${FINISHED}`,
    [seen.map(({ exitId }) => exitId), seen.map(({ address }) => address), UNREPORTED_CALL_MS],
  );
}

/** @param exitId undefined: of all exits */
export function finishOverdue(ctx: Ctx, overdueMs: number, exitId?: string): Promise<FinishedChange[]> {
  return ctx.db.query(
    `with overdue as (
       select changes.id, called_at is not null and succeeded_at > called_at as is_same, called_at is null as is_silent from exit_changes as changes
         join exit_states on exit_states.exit_id = changes.exit_id
        where finished_at is null and coalesce(called_at, ordered_at) < now() - $1 * interval '1 millisecond'
          and ($2::uuid is null or changes.exit_id = $2) for no key update of changes skip locked
     ), finished as (
       update exit_changes
          set finished_at = now(), outcome = case when is_same then 'SAME_IP' else 'FAILED' end,
              reason = case when is_same then null when is_silent then 'gateway-silent' else 'exit-silent' end
         from overdue where overdue.id = exit_changes.id returning exit_id, connection_id
     ) ${FINISHED}`,
    [overdueMs, exitId ?? null],
  );
}

export interface AddressRow {
  ip: string;
  since: Date;
}

/** The newest first. Where no address is public, as in the demo, those that changes have brought. */
export function listAddresses(ctx: Ctx, connectionId: string, limit: number): Promise<AddressRow[]> {
  return ctx.db.query(
    `with seen as (
       select address, since from connection_addresses where connection_id = $1
        union all
       select new_address, finished_at from exit_changes
        where connection_id = $1 and new_address is not null
          and not exists (select from connection_addresses where connection_id = $1 and address = new_address)
     )
     select host(address) as ip, since from seen order by since desc, address limit $2`,
    [connectionId, limit],
  );
}

export interface ExitOfProxies extends LinkedExit, RotationLimits {
  proxies: number;
  hasLink: boolean;
}

/** Locks its link. */
export async function findExit(ctx: Ctx, exitId: string): Promise<ExitOfProxies | undefined> {
  await lockRotation(ctx, exitId);
  const [row] = await ctx.db.query<ExitOfProxies>(
    `select kind as "exitKind", parameters, cooldown_seconds as "cooldownSeconds", changes_per_hour as "changesPerHour", link_encrypted is not null as "hasLink",
            (select count(*)::int from proxy_states where proxy_states.exit_id = exits.id) as proxies
       from readable_exits as exits left join exit_rotations on exit_rotations.exit_id = exits.id where exits.id = $1`,
    [exitId],
  );
  return row;
}

/** @param linkEncrypted undefined: the link stays */
export async function saveRotation(
  ctx: Ctx,
  exitId: string,
  { cooldownSeconds, changesPerHour }: RotationLimits,
  linkEncrypted: Buffer | undefined,
): Promise<void> {
  await ctx.db.query(
    linkEncrypted === undefined
      ? 'update exit_rotations set cooldown_seconds = $2, changes_per_hour = $3 where exit_id = $1'
      : `insert into exit_rotations (exit_id, cooldown_seconds, changes_per_hour, link_encrypted) values ($1, $2, $3, $4)
             on conflict (exit_id) do update set cooldown_seconds = excluded.cooldown_seconds,
                changes_per_hour = excluded.changes_per_hour, link_encrypted = excluded.link_encrypted`,
    [exitId, cooldownSeconds, changesPerHour, ...(linkEncrypted === undefined ? [] : [linkEncrypted])],
  );
}

export async function deleteRotation(ctx: Ctx, exitId: string): Promise<void> {
  await ctx.db.query('delete from exit_rotations where exit_id = $1', [exitId]);
}

/** @returns the number of deleted rows, at most `limit` */
export async function deleteOldChanges(ctx: Ctx, days: number, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from exit_changes where id in (select id from exit_changes where finished_at < now() - $1 * interval '1 day' limit $2) returning id`,
    [days, limit],
  );
  return rows.length;
}

/** What customers had set up for connections that have ended. @returns the number of deleted rows, at most `limit` */
export async function deleteEnded(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from connection_rotations where connection_id in (
       select connection_id from connection_rotations join readable_connections as connections on connections.id = connection_id
        where ended_at is not null limit $1
     ) returning connection_id`,
    [limit],
  );
  return rows.length;
}
