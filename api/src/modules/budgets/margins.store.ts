import type { ExitKind, ExitParameters } from '@cellhop/contract/exits';
import type { MarginGroup } from '@cellhop/contract/staff/margins';
import type { Ctx } from '../../ctx.ts';
import { type PageQuery, toOffset } from '../../http/paging.ts';

export interface Amounts {
  usedBytes: bigint;
  /** While neither the exit nor its node had a cost. */
  uncostedBytes: bigint;
  revenueMicros: bigint;
  /** Null: none was set. */
  costMicros: bigint | null;
}

export interface MarginRow extends Amounts {
  id: string;
  /** Of an exit or a node. */
  node: string | null;
  exit: { kind: ExitKind; parameters: ExitParameters; hasCredentials: boolean } | null;
}

/** What rows are for, with the type of their key. */
const groups: Record<MarginGroup, { key: string; type: 'uuid' | 'text'; node: string; exit: string }> = {
  exit: {
    key: 'exits.id',
    type: 'uuid',
    node: 'node_name',
    exit: `jsonb_build_object('kind', kind, 'parameters', parameters, 'hasCredentials', has_credentials)`,
  },
  node: { key: 'node_id', type: 'uuid', node: 'node_name', exit: 'null::jsonb' },
  country: { key: 'country_code', type: 'text', node: 'null::text', exit: 'null::jsonb' },
  operator: { key: 'isp', type: 'text', node: 'null::text', exit: 'null::jsonb' },
};

/** Each part is rounded to a micro-dollar, so that all groups have the same sum. */
const COST = `round((coalesce(exit_micros, 0) + coalesce(node_micros, 0))::numeric * used_bytes / 1073741824)`;

const AMOUNTS = `
  sum(used_bytes)::bigint as "usedBytes",
  coalesce(sum(used_bytes) filter (where num_nonnulls(exit_micros, node_micros) = 0), 0)::bigint as "uncostedBytes",
  sum(revenue_micros)::bigint as "revenueMicros",
  sum(${COST}) filter (where num_nonnulls(exit_micros, node_micros) > 0)::bigint as "costMicros"`;

/** The rows of the month $1. */
const grouped = (by: MarginGroup, condition = 'true') => `
  select ${groups[by].key} as id, ${groups[by].node} as node, ${groups[by].exit} as exit, ${AMOUNTS}
    from month_sums join readable_exits as exits on exits.id = exit_id
   where month = $1::date and ${condition}
   group by 1, 2, 3`;

type TotalRow = { count: number } & { [Name in keyof Amounts as `total${Capitalize<Name>}`]: Amounts[Name] };

interface Listed {
  rows: MarginRow[];
  total: Amounts;
  count: number;
}

/** One statement, so that the total is that of the rows. Those that earned most are first. */
export async function listMargins(ctx: Ctx, day: string, by: MarginGroup, page: PageQuery): Promise<Listed> {
  const rows = await ctx.db.query<TotalRow & (MarginRow | { id: null })>(
    `with grouped as (${grouped(by)}), total as (
       select count(*)::int as count, coalesce(sum("usedBytes"), 0)::bigint as "totalUsedBytes",
              coalesce(sum("uncostedBytes"), 0)::bigint as "totalUncostedBytes",
              coalesce(sum("revenueMicros"), 0)::bigint as "totalRevenueMicros", sum("costMicros")::bigint as "totalCostMicros"
         from grouped
     ), paged as (
       select * from grouped order by "revenueMicros" desc, "usedBytes" desc, id limit $2 offset $3
     )
     select paged.*, total.* from total left join paged on true order by "revenueMicros" desc, "usedBytes" desc, id`,
    [day, page.size, toOffset(page)],
    { isPrepared: false },
  );
  const { count, totalUsedBytes, totalUncostedBytes, totalRevenueMicros, totalCostMicros } = rows[0]!;
  return {
    rows: rows.filter((row): row is TotalRow & MarginRow => row.id !== null),
    total: {
      usedBytes: totalUsedBytes,
      uncostedBytes: totalUncostedBytes,
      revenueMicros: totalRevenueMicros,
      costMicros: totalCostMicros,
    },
    count,
  };
}

/** By their keys, for files. @param after null: the first ones */
export function listByKey(
  ctx: Ctx,
  day: string,
  by: MarginGroup,
  after: string | null,
  limit: number,
): Promise<MarginRow[]> {
  const { key, type } = groups[by];
  return ctx.db.query(
    `${grouped(by, `($2::${type} is null or ${key} > $2)`)} order by 1 limit $3`,
    [day, after, limit],
    { isPrepared: false },
  );
}

export async function countRows(ctx: Ctx, day: string, by: MarginGroup, limit: number): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count from (${grouped(by)} limit $2) as counted`,
    [day, limit],
    { isPrepared: false },
  );
  return row!.count;
}

/** Those with sums, the newest first, each found by the index. */
export async function listMonths(ctx: Ctx, limit: number): Promise<string[]> {
  const rows = await ctx.db.query<{ month: string }>(
    `with recursive months as (
       select (select max(month) from month_sums) as month, 1 as place
       union all
       select (select max(month) from month_sums where month < months.month), place + 1
         from months where months.month is not null and place < $1
     )
     select to_char(month, 'YYYY-MM') as month from months where month is not null order by place`,
    [limit],
  );
  return rows.map((row) => row.month);
}
