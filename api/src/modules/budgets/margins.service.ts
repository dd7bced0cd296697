/** What exits earned and what they cost, by month. */
import { formatExit } from '@cellhop/contract/exits';
import type { Margin, MarginGroup } from '@cellhop/contract/staff/margins';
import { MARGIN_MONTHS_MAX } from '@cellhop/contract/staff/margins.values';
import { toDollars, toKibibytes } from '@cellhop/contract/units';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import { type PageQuery, toTotalPages } from '../../http/paging.ts';
import type { Requester } from '../../http/requester.ts';
import { exportList } from '../audit-log/export.service.ts';
import * as ledger from '../ledger/ledger.service.ts';
import * as store from './margins.store.ts';
import * as sums from './sums.store.ts';

const TRANSFERS_PER_BATCH = 20_000;
const BYTES_PER_GIGABYTE = 2 ** 30;

/** Adds transfers, which never change, up to a minute ago. Each step is one transaction with the mark, so it can be interrupted and repeated. */
export async function countRevenue(ctx: Ctx): Promise<void> {
  const settled = await ledger.findSettledTransfer(ctx);
  for (;;) {
    const mark = await sums.readMark(ctx);
    const to = await ledger.findEnd(ctx, mark, settled, TRANSFERS_PER_BATCH);
    if (to === null || !(await ctx.tx((ctx) => sums.addRevenue(ctx, mark, to)))) return;
  }
}

interface MonthQuery {
  month: string;
  by: MarginGroup;
}

export async function listMargins(ctx: Ctx, { month, by, ...page }: MonthQuery & PageQuery) {
  const { rows, total, count } = await store.listMargins(ctx, firstDay(month), by, page);
  return { data: rows.map(present), total: presentAmounts(total), totalPages: toTotalPages(count, page) };
}

export function listMonths(ctx: Ctx): Promise<string[]> {
  return store.listMonths(ctx, MARGIN_MONTHS_MAX);
}

export function exportMargins(ctx: Ctx, by: { actor: Actor; requester: Requester }, query: MonthQuery) {
  const day = firstDay(query.month);
  return exportList<Margin>(ctx, by, {
    action: 'MARGINS_EXPORTED',
    fileName: `margins-${query.month}.csv`,
    filter: { ...query },
    count: (limit) => store.countRows(ctx, day, query.by, limit),
    list: async (afterId, size) => (await store.listByKey(ctx, day, query.by, afterId, size)).map(present),
    columns: {
      month: () => query.month,
      ...nameColumns[query.by],
      gigabytes: ({ trafficUsed }) => toGigabytes(trafficUsed),
      gigabytesWithoutCost: ({ trafficWithoutCost }) => toGigabytes(trafficWithoutCost),
      revenue: ({ revenue }) => revenue,
      cost: ({ cost }) => cost,
      margin: ({ margin }) => margin,
      marginPercent: ({ marginPercent }) => marginPercent,
    },
  });
}

const id = (row: Margin) => row.id;
const gateway = ({ node }: Margin) => node;
const nameColumns: Record<MarginGroup, Record<string, (row: Margin) => string | null>> = {
  exit: { id, gateway, exit: ({ exit }) => exit },
  node: { id, gateway },
  country: { country: id },
  operator: { operator: id },
};

const firstDay = (month: string) => `${month}-01`;

/** With six decimals. */
function toGigabytes(kibibytes: number): number {
  return Number(((kibibytes * 1024) / BYTES_PER_GIGABYTE).toFixed(6));
}

function present({ id, node, exit, ...amounts }: store.MarginRow): Margin {
  return {
    id,
    node,
    exit: exit && formatExit(exit.kind, exit.parameters, exit.hasCredentials),
    ...presentAmounts(amounts),
  };
}

function presentAmounts({ usedBytes, uncostedBytes, revenueMicros, costMicros }: store.Amounts) {
  const marginMicros = revenueMicros - (costMicros ?? 0n);
  return {
    trafficUsed: toKibibytes(usedBytes),
    trafficWithoutCost: toKibibytes(uncostedBytes),
    revenue: toDollars(revenueMicros),
    cost: costMicros === null ? null : toDollars(costMicros),
    margin: toDollars(marginMicros),
    marginPercent: revenueMicros > 0n ? Number((marginMicros * 1000n) / revenueMicros) / 10 : null,
  };
}
