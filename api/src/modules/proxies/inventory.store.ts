/** The catalogue for staff, and bulk changes. Statements are planned with their values, because filters differ so much. */
import type { Place } from '@cellhop/contract/places.values';
import type { ExitParameters } from '@cellhop/contract/exits';
import type { InventoryFilter, PriceChange } from '@cellhop/contract/staff/inventory';
import type { ExitHealth, InventorySort } from '@cellhop/contract/staff/inventory.values';
import { toMicros } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import { selectPlace } from '../../db/place-columns.ts';
import { type PageQuery, toOffset } from '../../http/paging.ts';
import { tableParts, toConditions } from './inventory-filter.ts';
import type { LimitsRow } from './limits.store.ts';

const LIMITS = `port_rule as "portRule", tunnels_max as "tunnelsMax", bytes_per_second_max as "bytesPerSecondMax"`;
const PLANNED = { isPrepared: false };

/** The SQL order by, for a table name. Ties are broken by id, as of proxies that promise no address. */
const orders: Record<InventorySort, (table: string) => string> = {
  ip: (table) => `${table}.ip, ${table}.id`,
  '-ip': (table) => `${table}.ip desc, ${table}.id desc`,
  price: (table) => `${table}.price_micros, ${table}.id`,
  '-price': (table) => `${table}.price_micros desc, ${table}.id desc`,
};

export interface InventoryRow extends LimitsRow, Place {
  id: string;
  /** The promised one, or else the one that the checks of its exit see. */
  ip: string | null;
  priceMicros: bigint;
  isOffered: boolean;
  isExitHealthy: boolean;
  isRetired: boolean;
  isNodeDraining: boolean;
  isOverBudget: boolean;
  exitId: string;
  node: string;
  exitKind: string;
  parameters: ExitParameters;
  health: ExitHealth;
  checkedAt: Date | null;
  latencyMs: number | null;
  checkFailure: string | null;
  seenAddress: string | null;
  isAddressDifferent: boolean;
  udp: boolean | null;
  ipv6: boolean | null;
  dns: boolean | null;
  resolver: string | null;
  rotates: boolean;
  cooldownSeconds: number | null;
  changesPerHour: number | null;
  connectionId: string | null;
  connectedAt: Date | null;
  userId: string | null;
  userEmail: string | null;
}

export function listInventory(
  ctx: Ctx,
  filter: InventoryFilter,
  sort: InventorySort,
  page: PageQuery,
): Promise<InventoryRow[]> {
  const offset = toOffset(page);
  const { text, values } = toConditions(filter, [page.size, offset, offset + page.size]);
  const order = orders[sort];
  const parts = tableParts(filter).map(
    (part) =>
      `(select id, ip, price_micros from proxies where ${text} and ${part} order by ${order('proxies')} limit $3)`,
  );
  return ctx.db.query(
    `with listed as (
       select id from (${parts.join(' union all ')}) as found order by ${order('found')} limit $1 offset $2
     )
     select proxies.id, host(coalesce(ip, seen_address)) as ip, proxies.price_micros as "priceMicros", ${selectPlace()}, ${LIMITS}, is_healthy as "isOffered", is_exit_healthy as "isExitHealthy",
            retired_at is not null as "isRetired", is_node_draining as "isNodeDraining", is_over_budget as "isOverBudget", proxies.exit_id as "exitId",
            node_name as node, exits.kind as "exitKind", parameters,
            health, checked_at as "checkedAt", latency_ms as "latencyMs", reason as "checkFailure", host(seen_address) as "seenAddress",
            coalesce(family(seen_address) = family(ip) and seen_address <> ip, false) as "isAddressDifferent",
            udp_works as udp, ipv6_works as ipv6, dns_works as dns, host(resolver) as resolver,
            rotation.exit_id is not null as rotates, cooldown_seconds as "cooldownSeconds", changes_per_hour as "changesPerHour",
            proxies.connection_id as "connectionId", connections.created_at as "connectedAt",
            users.id as "userId", users.email as "userEmail"
       from listed
       join proxies using (id)
       join readable_exits as exits on exits.id = proxies.exit_id
       join exit_states on exit_states.exit_id = proxies.exit_id
       left join rotation_states as rotation on rotation.exit_id = proxies.exit_id
       left join readable_connections as connections on connections.id = proxies.connection_id
       left join readable_users as users on users.id = connections.user_id
      order by ${order('proxies')}`,
    values,
    PLANNED,
  );
}

export async function countInventory(ctx: Ctx, filter: InventoryFilter, limit: number): Promise<number> {
  const { text, values } = toConditions(filter, [limit]);
  const parts = tableParts(filter).map((part) => `(select from proxies where ${text} and ${part} limit $1)`);
  const [row] = await ctx.db.query<{ count: number }>(
    `select least(count(*), $1)::int as count from (${parts.join(' union all ')}) as found`,
    values,
    PLANNED,
  );
  return row!.count;
}

export type ExportedRow = Pick<
  InventoryRow,
  | 'id'
  | 'ip'
  | 'priceMicros'
  | keyof Place
  | keyof LimitsRow
  | 'node'
  | 'exitKind'
  | 'parameters'
  | 'cooldownSeconds'
  | 'changesPerHour'
> & { hasCredentials: boolean; hasLink: boolean };

/** The next proxies by the address that they promise, then those that promise none. @param after undefined: from the first one */
export function listAfter(
  ctx: Ctx,
  filter: InventoryFilter,
  after: ExportedRow | undefined,
  limit: number,
): Promise<ExportedRow[]> {
  const { text, values } = toConditions(filter, [after?.ip, after?.ip === null ? after.id : null, limit]);
  return ctx.db.query(
    `select proxies.id, host(ip) as ip, price_micros as "priceMicros", ${selectPlace()}, ${LIMITS}, node_name as node, exits.kind as "exitKind", parameters, has_credentials as "hasCredentials",
            links.exit_id is not null as "hasLink", cooldown_seconds as "cooldownSeconds", changes_per_hour as "changesPerHour"
       from ((select * from proxies
               where ip is not null and ($1::inet is null or ip > $1) and $2::uuid is null and ${text} order by ip limit $3)
             union all
             (select * from proxies where ip is null and ($2::uuid is null or id > $2) and ${text} order by id limit $3)
             order by ip, id limit $3) as proxies
       join readable_exits as exits on exits.id = proxies.exit_id
       left join exit_links as links on links.exit_id = proxies.exit_id
      order by proxies.ip, proxies.id`,
    values,
    PLANNED,
  );
}

export interface SelectionRow {
  count: number;
  fingerprint: string;
  lowestMicros: bigint | null;
  highestMicros: bigint | null;
  /** If there is one only. */
  onlyId: string | null;
}

/** Independent of the order, so that nothing is sorted. */
const SELECTION = `count(*)::int as count,
  coalesce(sum(hashtextextended(id || ' ' || price_micros || ' ' || (retired_at is not null), 0)::numeric), 0)::text as fingerprint,
  min(price_micros) as "lowestMicros", max(price_micros) as "highestMicros",
  case when count(*) = 1 then min(id::text) end as "onlyId"`;

/** @param rowsMax at most this many are counted */
export async function readSelection(ctx: Ctx, filter: InventoryFilter, rowsMax: number): Promise<SelectionRow> {
  const { text, values } = toConditions(filter, [rowsMax]);
  const [row] = await ctx.db.query<SelectionRow>(
    `select ${SELECTION} from (select id, price_micros, retired_at from proxies where ${text} limit $1) as chosen`,
    values,
    PLANNED,
  );
  return row!;
}

type BulkChange = { retire: true } | { restore: true } | PriceChange;

/** Locks the proxies of a selection until the end of the transaction. @param rowsMax at most this many */
export async function lockSelection(
  ctx: Ctx,
  filter: InventoryFilter,
  rowsMax: number,
): Promise<SelectionRow & { ids: string[] }> {
  const { text, values } = toConditions(filter, [rowsMax]);
  const [row] = await ctx.db.query<SelectionRow & { ids: string[] }>(
    `with locked as materialized (
       select id, price_micros, retired_at from proxies where ${text} order by id limit $1 for no key update
     )
     select ${SELECTION}, coalesce(array_agg(id), '{}') as ids from locked`,
    values,
    PLANNED,
  );
  return row!;
}

/** Changes locked proxies. */
export async function changeSome(
  ctx: Ctx,
  ids: readonly string[],
  { set, values }: ReturnType<typeof toAssignment>,
): Promise<void> {
  await ctx.db.query(`update proxies set ${set} where id = any($1::uuid[])`, [ids, ...values], PLANNED);
}

const RETIRE = { set: 'retired_at = coalesce(proxies.retired_at, now())', values: [] };
const RESTORE = { set: 'retired_at = null', values: [] };
const SET_PRICE = 'price_micros = $2';
/** Rounds to a multiple of 100 micro-dollars, which the table requires, within the limits of the contract. */
const CHANGE_BY_PERCENT = `price_micros = least(greatest(round(proxies.price_micros * (100 + $2::numeric) / 10000) * 100, 100), $3)`;

/** @param priceMaxMicros the limit of a price */
export function toAssignment(change: BulkChange, priceMaxMicros: bigint) {
  if ('retire' in change) return RETIRE;
  if ('restore' in change) return RESTORE;
  if ('percent' in change) return { set: CHANGE_BY_PERCENT, values: [change.percent, priceMaxMicros] };
  return { set: SET_PRICE, values: [toMicros(change.price)] };
}

/** The advisory lock that allows one bulk change or import at a time. */
const LOCK_ID = 727_004;

/** The lock is held until the end of the transaction. */
export async function lockInventory(ctx: Ctx): Promise<void> {
  await ctx.db.query('select pg_advisory_xact_lock($1)', [LOCK_ID]);
}

/** @returns the last proxy of the batch; null after the last one */
export async function followDraining(
  ctx: Ctx,
  nodeId: string,
  afterId: string,
  proxiesMax: number,
): Promise<string | null> {
  const [row] = await ctx.db.query<{ lastId: string | null }>(
    `with batch as (
       select proxies.id, is_draining
         from proxies join readable_exits as exits on exits.id = exit_id
        where node_id = $1 and proxies.id > $2 and is_node_draining <> is_draining
        order by proxies.id limit $3 for no key update of proxies
     ), changed as (
       update proxies set is_node_draining = is_draining from batch where proxies.id = batch.id
     )
     select max(id::text) as "lastId" from batch`,
    [nodeId, afterId, proxiesMax],
    PLANNED,
  );
  return row!.lastId;
}

/**
 * Copies the state of exits to their proxies, where it is another one. Proxies that are being bought or changed are skipped.
 * @returns the number of changed proxies, at most `limit`
 */
export async function followExits(ctx: Ctx, exitIds: readonly string[], limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `with different as (
       select proxies.id, health = 'HEALTHY' as is_exit_healthy
         from exit_states join proxies on proxies.exit_id = exit_states.exit_id
        where exit_states.exit_id = any($1::uuid[]) and is_exit_healthy <> (health = 'HEALTHY')
        limit $2 for no key update of proxies skip locked
     )
     update proxies set is_exit_healthy = different.is_exit_healthy from different where proxies.id = different.id returning proxies.id`,
    [exitIds, limit],
  );
  return rows.length;
}

/** Proxies of these exits, and no others, are over their traffic budget. Those that are being bought or changed are skipped. @returns how many have changed */
export async function followBudgets(ctx: Ctx, exitIds: readonly string[], limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `with over as (
       select id from proxies where exit_id = any($1::uuid[]) and not is_over_budget limit $2 for no key update skip locked
     ), within as (
       select id from proxies where is_over_budget and not exit_id = any($1::uuid[]) limit $2 for no key update skip locked
     )
     update proxies set is_over_budget = not is_over_budget
      where id in (select id from over union all select id from within) returning id`,
    [exitIds, limit],
    PLANNED,
  );
  return rows.length;
}

/** They show the addresses that checks of their exits see. */
export async function promiseNoAddress(ctx: Ctx, exitIds: readonly string[]): Promise<void> {
  await ctx.db.query('update proxies set ip = null where exit_id = any($1::uuid[]) and ip is not null', [exitIds]);
}
