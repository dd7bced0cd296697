import type { ExitKind, ExitParameters } from '@cellhop/contract/exits';
import type { Ctx } from '../../ctx.ts';
import { type PageQuery, toOffset } from '../../http/paging.ts';

/** Of a time. */
const month = (time: string) => `(date_trunc('month', ${time}, 'UTC') at time zone 'UTC')::date`;

/** The budgets with what is used of them in this month. */
const BUDGETS = `
  with used as (
    select exits.id as exit_id, node_id, used_bytes
      from month_traffic join readable_exits as exits on exits.id = exit_id where month = ${month('now()')}
  ), of_nodes as (
    select node_id, sum(used_bytes)::bigint as used_bytes from used group by node_id
  ), budgets as (
    select traffic_budgets.id, traffic_budgets.exit_id, traffic_budgets.node_id, bytes,
           coalesce(used.used_bytes, of_nodes.used_bytes, 0) as used_bytes
      from traffic_budgets
      left join used on used.exit_id = traffic_budgets.exit_id
      left join of_nodes on of_nodes.node_id = traffic_budgets.node_id
  )`;
const isSpent = (percent: string) => `used_bytes * 100.0 >= bytes * ${percent}`;

/** The advisory lock of the count. */
const LOCK_ID = 727_031;

/** One count at a time, until the end of the transaction. */
export async function lockCount(ctx: Ctx): Promise<void> {
  await ctx.db.query('select pg_advisory_xact_lock($1)', [LOCK_ID]);
}

/**
 * Adds what connections have moved since the last count to the month of their last report. Those that ended in the last month's last day
 * may not have been counted yet.
 */
export async function countTraffic(ctx: Ctx): Promise<void> {
  await ctx.db.query(
    `with changed as (
       select connections.id, exit_id, connections.used_bytes, ${month('coalesce(synced_at, now())')} as month,
              connections.used_bytes - coalesce(counted.used_bytes, 0) as added
         from readable_connections as connections left join counted_traffic as counted on connection_id = connections.id
        where (status = 'WORK' or ended_at >= date_trunc('month', now() - interval '1 day', 'UTC'))
          and exit_id is not null and connections.used_bytes > coalesce(counted.used_bytes, 0)
     ), marked as (
       insert into counted_traffic (connection_id, used_bytes) select id, used_bytes from changed
       on conflict (connection_id) do update set used_bytes = excluded.used_bytes
     )
     insert into month_traffic (exit_id, month, used_bytes)
     select exit_id, month, sum(added) from changed group by exit_id, month order by exit_id, month
     on conflict (month, exit_id) do update set used_bytes = month_traffic.used_bytes + excluded.used_bytes`,
    [],
    { isPrepared: false },
  );
}

/** The exits of which nothing is sold: their own budget, or that of their node, is used to this share. */
export async function listSpentExits(ctx: Ctx, percent: number): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>(
    `${BUDGETS}, spent as (select exit_id, node_id from budgets where ${isSpent('$1::int')})
     select exit_id as id from spent where exit_id is not null
     union select exits.id from spent join readable_exits as exits on exits.node_id = spent.node_id`,
    [percent],
    { isPrepared: false },
  );
  return rows.map(({ id }) => id);
}

export async function countSpent(ctx: Ctx, percent: number, limit: number): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    `${BUDGETS} select count(*)::int as count from (select from budgets where ${isSpent('$1::int')} limit $2) as spent`,
    [percent, limit],
    { isPrepared: false },
  );
  return row!.count;
}

export interface BudgetRow {
  id: string;
  exitId: string | null;
  exitKind: ExitKind | null;
  parameters: ExitParameters | null;
  hasCredentials: boolean | null;
  nodeId: string;
  node: string;
  bytes: bigint;
  usedBytes: bigint;
  isSpent: boolean;
}

export function listBudgets(ctx: Ctx, percent: number, page: PageQuery): Promise<BudgetRow[]> {
  return ctx.db.query(
    `${BUDGETS}
     select budgets.id, exit_id as "exitId", exits.kind as "exitKind", parameters, has_credentials as "hasCredentials", nodes.id as "nodeId",
            nodes.name as node, bytes, used_bytes as "usedBytes", ${isSpent('$1::int')} as "isSpent"
       from budgets
       left join readable_exits as exits on exits.id = exit_id
       join readable_gateway_nodes as nodes on nodes.id = coalesce(budgets.node_id, exits.node_id)
      order by used_bytes::float8 / bytes desc, budgets.id limit $2 offset $3`,
    [percent, page.size, toOffset(page)],
    { isPrepared: false },
  );
}

export async function countBudgets(ctx: Ctx, limit: number): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    'select count(*)::int as count from (select from traffic_budgets limit $1) as listed',
    [limit],
  );
  return row!.count;
}

/** What has a budget. */
export type Bearer = { exitId: string } | { nodeId: string };

const values = (bearer: Bearer) =>
  'exitId' in bearer ? ([bearer.exitId, null] as const) : ([null, bearer.nodeId] as const);

/** @returns undefined if there is no such exit or node */
export async function findNode(ctx: Ctx, bearer: Bearer): Promise<{ name: string } | undefined> {
  const [row] = await ctx.db.query<{ name: string }>(
    `select node_name as name from readable_exits where id = $1::uuid
     union all select name from readable_gateway_nodes where id = $2::uuid`,
    [...values(bearer)],
  );
  return row;
}

export async function findBytes(ctx: Ctx, bearer: Bearer): Promise<bigint | null> {
  const [row] = await ctx.db.query<{ bytes: bigint }>(
    'select bytes from traffic_budgets where exit_id = $1::uuid or node_id = $2::uuid',
    [...values(bearer)],
  );
  return row?.bytes ?? null;
}

/** @param bytes null: none */
export async function saveBytes(ctx: Ctx, bearer: Bearer, bytes: bigint | null): Promise<void> {
  if (bytes === null) {
    await ctx.db.query('delete from traffic_budgets where exit_id = $1::uuid or node_id = $2::uuid', [
      ...values(bearer),
    ]);
    return;
  }
  const key = 'exitId' in bearer ? 'exit_id' : 'node_id';
  await ctx.db.query(
    `insert into traffic_budgets (exit_id, node_id, bytes) values ($1, $2, $3)
     on conflict (${key}) do update set bytes = excluded.bytes`,
    [...values(bearer), bytes],
  );
}
