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

/** A gateway reports twice a second; after this silence it counts as offline. */
const NODE_SILENCE_SECONDS = 15;

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
    ifAllowed('nodes', () => store.countNodes(ctx, NODE_SILENCE_SECONDS)),
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
  const steps = await store.listSteps(ctx, query);
  const figures = wanted.flatMap((part) => figuresByPart[part]);
  const sums = await store.listSums(ctx, query, steps, figures);
  return {
    steps: steps.map((step) => step.toISOString()),
    revenue: mayRead('revenue') ? toSeries(steps.length, sums, 'REVENUE') : null,
    topUps: mayRead('topUps') ? toTopUps(steps.length, sums) : null,
    traffic: mayRead('traffic') ? toTraffic(steps.length, sums) : null,
    signUps: mayRead('signUps') ? toSeries(steps.length, sums, 'SIGN_UP') : null,
  };
}

async function readProxies(ctx: Ctx): Promise<Dashboard['proxies']> {
  const byCountry = await store.listProxies(ctx);
  const total = (state: 'free' | 'sold' | 'unhealthy') => byCountry.reduce((sum, country) => sum + country[state], 0);
  return { free: total('free'), sold: total('sold'), unhealthy: total('unhealthy'), byCountry };
}

async function readMoneyCheck(ctx: Ctx): Promise<Dashboard['moneyCheck']> {
  const { status, checkedAt, violationCount } = await showReconciliation(ctx);
  return { status, checkedAt, violationCount };
}

/** One number for each step, zero where nothing happened. */
interface Series {
  total: number;
  values: number[];
}

const present: Record<Figure, (amount: bigint) => number> = {
  REVENUE: toDollars,
  TOP_UP: toDollars,
  DOWNLOADED: toKibibytes,
  UPLOADED: toKibibytes,
  SIGN_UP: Number,
};

function toSeries(stepCount: number, sums: readonly SumRow[], figure: Figure): Series {
  const amounts = Array.from({ length: stepCount }, () => 0n);
  let total = 0n;
  for (const { step, amount } of sums.filter((row) => row.figure === figure)) {
    amounts[step] = (amounts[step] ?? 0n) + amount;
    total += amount;
  }
  return { total: present[figure](total), values: amounts.map(present[figure]) };
}

function toTraffic(stepCount: number, sums: readonly SumRow[]): NonNullable<Dashboard['traffic']> {
  return { downloaded: toSeries(stepCount, sums, 'DOWNLOADED'), uploaded: toSeries(stepCount, sums, 'UPLOADED') };
}

function toTopUps(stepCount: number, sums: readonly SumRow[]): NonNullable<Dashboard['topUps']> {
  const byCurrency = new Map<Currency | null, { amount: bigint; count: bigint }>();
  for (const { figure, currency: code, amount, count } of sums) {
    if (figure !== 'TOP_UP') continue;
    const currency = currencies.find((each) => each === code) ?? null;
    const known = byCurrency.get(currency) ?? { amount: 0n, count: 0n };
    byCurrency.set(currency, { amount: known.amount + amount, count: known.count + count });
  }
  const largestFirst = [...byCurrency].sort(([, one], [, other]) => Number(other.amount - one.amount));
  return {
    ...toSeries(stepCount, sums, 'TOP_UP'),
    byCurrency: largestFirst.map(([currency, { amount, count }]) => ({
      currency,
      amount: toDollars(amount),
      count: Number(count),
    })),
  };
}
