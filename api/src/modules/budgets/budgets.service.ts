/**
 * Budgets of traffic: how much an exit, or all exits of a node together, shall carry in a month. Nothing of them is sold from nine tenths on.
 * And what this traffic costs.
 */
import { AppError } from '@cellhop/contract/errors';
import { formatExit } from '@cellhop/contract/exits';
import { ATTENTION_COUNTED_MAX } from '@cellhop/contract/limits';
import {
  BUDGET_PERCENT_MAX,
  type TrafficBudget,
  type TrafficChange,
  type TrafficTerms,
} from '@cellhop/contract/staff/traffic-budgets';
import { megabytesToBytes, toDollars, toKibibytes, toMicros } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import { type PageQuery, readListed } from '../../http/paging.ts';
import type { Requester } from '../../http/requester.ts';
import { type AuditEntry, record } from '../audit-log/audit-log.service.ts';
import { followBudgets } from '../proxies/inventory.service.ts';
import * as store from './budgets.store.ts';
import * as sums from './sums.store.ts';

const BYTES_PER_GIGABYTE = megabytesToBytes(1024n);

/** Counts traffic, and decides which proxies are sold: the worker does so every minute. */
export async function watchBudgets(ctx: Ctx): Promise<void> {
  await ctx.tx(countTraffic);
  await followBudgets(ctx, await store.listSpentExits(ctx, BUDGET_PERCENT_MAX));
}

/** Call it in a transaction. */
async function countTraffic(ctx: Ctx): Promise<void> {
  await sums.lockCount(ctx);
  await sums.countTraffic(ctx);
}

/** For the dashboard. */
export function countSpent(ctx: Ctx): Promise<number> {
  return store.countSpent(ctx, BUDGET_PERCENT_MAX, ATTENTION_COUNTED_MAX);
}

export async function listBudgets(ctx: Ctx, page: PageQuery) {
  const { rows, ...pages } = await readListed(page, {
    list: () => store.listBudgets(ctx, BUDGET_PERCENT_MAX, page),
    count: (limit) => store.countBudgets(ctx, limit),
  });
  return { data: rows.map(present), ...pages };
}

interface Editor {
  actorId: string;
  requester: Requester;
}

/** @throws AppError NOT_FOUND */
export async function readTerms(ctx: Ctx, bearer: store.Bearer): Promise<TrafficTerms> {
  await findNode(ctx, bearer);
  const { bytes, microsPerGigabyte } = await store.findTerms(ctx, bearer);
  return {
    gigabytes: bytes === null ? null : Number(bytes / BYTES_PER_GIGABYTE),
    costPerGigabyte: microsPerGigabyte === null ? null : toDollars(microsPerGigabyte),
  };
}

/** @throws AppError NOT_FOUND */
export async function changeTerms(
  ctx: Ctx,
  editor: Editor,
  bearer: store.Bearer,
  { reason, gigabytes, costPerGigabyte }: TrafficChange,
): Promise<TrafficTerms> {
  const after = await ctx.tx(async (ctx) => {
    const { name } = await findNode(ctx, bearer);
    // What has flowed until now keeps the cost of until now.
    if (costPerGigabyte !== undefined) await countTraffic(ctx);
    const before = await readTerms(ctx, bearer);
    const change = { ...editor, ...subjectOf(bearer, name), reason };
    const actions = auditActions['exitId' in bearer ? 'exit' : 'node'];
    if (gigabytes !== undefined) {
      await store.saveBytes(ctx, bearer, gigabytes === null ? null : BigInt(gigabytes) * BYTES_PER_GIGABYTE);
      const values = { before: { gigabytes: before.gigabytes }, after: { gigabytes } };
      await record(ctx, { ...change, action: actions.budget, ...values });
    }
    if (costPerGigabyte !== undefined) {
      await store.saveCost(ctx, bearer, costPerGigabyte === null ? null : toMicros(costPerGigabyte));
      const values = { before: { costPerGigabyte: before.costPerGigabyte }, after: { costPerGigabyte } };
      await record(ctx, { ...change, action: actions.cost, ...values });
    }
    return readTerms(ctx, bearer);
  });
  await followBudgets(ctx, await store.listSpentExits(ctx, BUDGET_PERCENT_MAX));
  return after;
}

const auditActions = {
  exit: { budget: 'EXIT_BUDGET_CHANGED', cost: 'EXIT_COST_CHANGED' },
  node: { budget: 'NODE_BUDGET_CHANGED', cost: 'NODE_COST_CHANGED' },
} as const;

/** Of an entry in the audit log. */
function subjectOf(bearer: store.Bearer, name: string): Pick<AuditEntry, 'subject' | 'details'> {
  return 'exitId' in bearer
    ? { subject: { type: 'PROXY' }, details: { exitId: bearer.exitId } }
    : { subject: { type: 'NODE', id: bearer.nodeId }, details: { name } };
}

/** @throws AppError NOT_FOUND */
async function findNode(ctx: Ctx, bearer: store.Bearer): Promise<{ name: string }> {
  const node = await store.findNode(ctx, bearer);
  if (!node) throw new AppError('NOT_FOUND', { thing: 'exitId' in bearer ? 'Exit' : 'Node' });
  return node;
}

function present({ exitKind, parameters, hasCredentials, bytes, usedBytes, ...row }: store.BudgetRow): TrafficBudget {
  return {
    ...row,
    exit: exitKind === null || parameters === null ? null : formatExit(exitKind, parameters, hasCredentials === true),
    gigabytes: Number(bytes / BYTES_PER_GIGABYTE),
    trafficUsed: toKibibytes(usedBytes),
  };
}
