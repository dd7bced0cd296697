import type { ExitKind, ExitParameters } from '@cellhop/contract/exits';
import type { Ctx } from '../../ctx.ts';
import { type PageQuery, toOffset } from '../../http/paging.ts';
import { month } from './sums.store.ts';

/** The budgets with what is used of them in this month. */
const BUDGETS = `
  with used as (
    select exits.id as exit_id, node_id, sum(used_bytes)::bigint as used_bytes
      from month_sums join readable_exits as exits on exits.id = exit_id where month = ${month('now()')}
     group by exits.id, node_id
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

export interface TermsRow {
  bytes: bigint | null;
  microsPerGigabyte: bigint | null;
}

export async function findTerms(ctx: Ctx, bearer: Bearer): Promise<TermsRow> {
  const [row] = await ctx.db.query<TermsRow>(
    `select (select bytes from traffic_budgets where exit_id = $1::uuid or node_id = $2::uuid) as bytes,
            (select micros_per_gigabyte from traffic_costs where exit_id = $1::uuid or node_id = $2::uuid) as "microsPerGigabyte"`,
    [...values(bearer)],
  );
  return row!;
}

/** @param bytes null: none */
export function saveBytes(ctx: Ctx, bearer: Bearer, bytes: bigint | null): Promise<void> {
  return save(ctx, bearer, 'traffic_budgets', 'bytes', bytes);
}

/** @param micros null: none */
export function saveCost(ctx: Ctx, bearer: Bearer, micros: bigint | null): Promise<void> {
  return save(ctx, bearer, 'traffic_costs', 'micros_per_gigabyte', micros);
}

async function save(
  ctx: Ctx,
  bearer: Bearer,
  table: 'traffic_budgets' | 'traffic_costs',
  column: 'bytes' | 'micros_per_gigabyte',
  value: bigint | null,
): Promise<void> {
  if (value === null) {
    await ctx.db.query(`delete from ${table} where exit_id = $1::uuid or node_id = $2::uuid`, [...values(bearer)]);
    return;
  }
  const key = 'exitId' in bearer ? 'exit_id' : 'node_id';
  await ctx.db.query(
    `insert into ${table} (exit_id, node_id, ${column}) values ($1, $2, $3)
     on conflict (${key}) do update set ${column} = excluded.${column}`,
    [...values(bearer), value],
  );
}
