/**
 * The first screen of staff. Sums over time come from a table that the worker maintains (sums.service.ts), so their cost does not depend on
 * the number of transfers.
 */
import { currencies, type Currency } from '@cellhop/contract/invoices.values';
import {
  type Dashboard,
  type DashboardPart,
  dashboardParts,
  type DashboardQuery,
} from '@cellhop/contract/staff/dashboard';
import { toDollars, toKibibytes } from '@cellhop/contract/units';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import { showReconciliation } from '../reconciliation/reconciliation.service.ts';
import * as staffTickets from '../tickets/staff-tickets.service.ts';
import * as store from './dashboard.store.ts';
import type { Figure, SumRow } from './dashboard.store.ts';

/** Reads only the parts that the role may see; the others are null. */
export async function readDashboard(
  ctx: Ctx,
  { permissions }: Pick<Actor, 'permissions'>,
  query: DashboardQuery,
): Promise<Dashboard> {
  const mayRead = (part: DashboardPart) => dashboardParts[part].some((permission) => permissions.has(permission));
  const ifAllowed = async <T>(part: DashboardPart, read: () => Promise<T>) => (mayRead(part) ? read() : null);
  const [series, connections, proxies, tickets, nodes, moneyCheck] = await Promise.all([
    readSeries(ctx, mayRead, query),
    ifAllowed('connections', async () => ({ live: await store.countLive(ctx) })),
    ifAllowed('proxies', () => readProxies(ctx)),
    ifAllowed('tickets', () => staffTickets.readFigures(ctx, query)),
    ifAllowed('nodes', () => readNodes(ctx)),
    ifAllowed('moneyCheck', () => readMoneyCheck(ctx)),
  ]);
  return { ...series, connections, proxies, tickets, nodes, moneyCheck };
}

const figuresByPart = {
  revenue: ['REVENUE'],
  topUps: ['TOP_UP'],
  traffic: ['DOWNLOADED', 'UPLOADED'],
  signUps: ['SIGN_UP'],
} as const satisfies Partial<Record<DashboardPart, readonly store.Figure[]>>;

async function readSeries(ctx: Ctx, mayRead: (part: DashboardPart) => boolean, query: DashboardQuery) {
  const wanted = (['revenue', 'topUps', 'traffic', 'signUps'] as const).filter(mayRead);
  const previous = previousRange(query, new Date());
  const [steps, stepsBefore] = await Promise.all([store.listSteps(ctx, query), store.listSteps(ctx, previous)]);
  // What is between both, because the range is not over, is a step that is not shown.
  const hidden = [...stepsBefore, new Date(previous.to)];
  // A step may begin before its range.
  const shown = steps.map((step) => new Date(Math.max(step.getTime(), Date.parse(query.from))));
  const figures = wanted.flatMap((part) => figuresByPart[part]);
  const all = await store.listSums(ctx, { from: previous.from, to: query.to }, [...hidden, ...shown], figures);
  const sums: Sums = {
    stepCount: steps.length,
    rows: all.filter(({ step }) => step >= hidden.length).map((row) => ({ ...row, step: row.step - hidden.length })),
    before: all.filter(({ step }) => step < stepsBefore.length),
  };
  return {
    steps: steps.map((step) => step.toISOString()),
    revenue: mayRead('revenue') ? toSeries(sums, 'REVENUE') : null,
    topUps: mayRead('topUps') ? toTopUps(sums) : null,
    traffic: mayRead('traffic') ? toTraffic(sums) : null,
    signUps: mayRead('signUps') ? toSeries(sums, 'SIGN_UP') : null,
  };
}

/** The previous range, cut to the part of this one that has passed: half a day is compared with half a day. */
function previousRange({ from, to, ...rest }: DashboardQuery, now: Date): DashboardQuery {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const passedMs = Math.max(0, Math.min(end, now.getTime()) - start);
  const before = start - (end - start);
  return { ...rest, from: new Date(before).toISOString(), to: new Date(before + passedMs).toISOString() };
}

async function readProxies(ctx: Ctx): Promise<Dashboard['proxies']> {
  const byCountry = await store.listProxies(ctx);
  const total = (state: 'free' | 'sold' | 'unhealthy') => byCountry.reduce((sum, country) => sum + country[state], 0);
  return { free: total('free'), sold: total('sold'), unhealthy: total('unhealthy'), byCountry };
}

async function readNodes(ctx: Ctx): Promise<Dashboard['nodes']> {
  const { total, online } = await store.countNodes(ctx);
  return { total, online };
}

async function readMoneyCheck(ctx: Ctx): Promise<Dashboard['moneyCheck']> {
  const { status, checkedAt, violationCount } = await showReconciliation(ctx);
  return { status, checkedAt, violationCount };
}

interface Sums {
  stepCount: number;
  rows: readonly SumRow[];
  /** Of the range before. */
  before: readonly SumRow[];
}

/** One number for each step, zero where nothing happened. */
interface Series {
  total: number;
  values: number[];
  previousTotal: number;
}

const present: Record<Figure, (amount: bigint) => number> = {
  REVENUE: toDollars,
  TOP_UP: toDollars,
  DOWNLOADED: toKibibytes,
  UPLOADED: toKibibytes,
  SIGN_UP: Number,
};

function toSeries({ stepCount, rows, before }: Sums, figure: Figure): Series {
  const amounts = Array.from({ length: stepCount }, () => 0n);
  for (const { step, amount } of rows.filter((row) => row.figure === figure))
    amounts[step] = (amounts[step] ?? 0n) + amount;
  return {
    total: present[figure](sumOf(rows, figure)),
    values: amounts.map(present[figure]),
    previousTotal: present[figure](sumOf(before, figure)),
  };
}

function sumOf(rows: readonly SumRow[], figure: Figure): bigint {
  return rows.reduce((sum, row) => (row.figure === figure ? sum + row.amount : sum), 0n);
}

function toTraffic(sums: Sums): NonNullable<Dashboard['traffic']> {
  return { downloaded: toSeries(sums, 'DOWNLOADED'), uploaded: toSeries(sums, 'UPLOADED') };
}

function toTopUps(sums: Sums): NonNullable<Dashboard['topUps']> {
  const byCurrency = new Map<Currency | null, { amount: bigint; count: bigint }>();
  for (const { figure, currency: code, amount, count } of sums.rows) {
    if (figure !== 'TOP_UP') continue;
    const currency = currencies.find((each) => each === code) ?? null;
    const known = byCurrency.get(currency) ?? { amount: 0n, count: 0n };
    byCurrency.set(currency, { amount: known.amount + amount, count: known.count + count });
  }
  const largestFirst = [...byCurrency].sort(([, one], [, other]) => Number(other.amount - one.amount));
  return {
    ...toSeries(sums, 'TOP_UP'),
    byCurrency: largestFirst.map(([currency, { amount, count }]) => ({
      currency,
      amount: toDollars(amount),
      count: Number(count),
    })),
  };
}
