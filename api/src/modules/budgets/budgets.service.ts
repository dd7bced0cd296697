/** Budgets of traffic: how much an exit, or all exits of a node together, shall carry in a month. Nothing of them is sold from nine tenths on. */
import { AppError } from '@cellhop/contract/errors';
import { formatExit } from '@cellhop/contract/exits';
import { ATTENTION_COUNTED_MAX } from '@cellhop/contract/limits';
import {
  BUDGET_PERCENT_MAX,
  type TrafficBudget,
  type TrafficChange,
  type TrafficTerms,
} from '@cellhop/contract/staff/traffic-budgets';
import { megabytesToBytes, toKibibytes } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import { type PageQuery, readListed } from '../../http/paging.ts';
import type { Requester } from '../../http/requester.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { followBudgets } from '../proxies/inventory.service.ts';
import * as store from './budgets.store.ts';

const BYTES_PER_GIGABYTE = megabytesToBytes(1024n);

/** Counts traffic, and decides which proxies are sold: the worker does so every minute. */
export async function watchBudgets(ctx: Ctx): Promise<void> {
  await ctx.tx(async (ctx) => {
    await store.lockCount(ctx);
    await store.countTraffic(ctx);
  });
  await followBudgets(ctx, await store.listSpentExits(ctx, BUDGET_PERCENT_MAX));
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
  const bytes = await store.findBytes(ctx, bearer);
  return { gigabytes: bytes === null ? null : Number(bytes / BYTES_PER_GIGABYTE) };
}

/** @throws AppError NOT_FOUND */
export async function changeTerms(
  ctx: Ctx,
  editor: Editor,
  bearer: store.Bearer,
  { reason, gigabytes }: TrafficChange,
): Promise<TrafficTerms> {
  const after = await ctx.tx(async (ctx) => {
    const node = await findNode(ctx, bearer);
    const before = await readTerms(ctx, bearer);
    if (gigabytes === undefined) return before;
    await store.saveBytes(ctx, bearer, gigabytes === null ? null : BigInt(gigabytes) * BYTES_PER_GIGABYTE);
    await record(ctx, {
      ...editor,
      ...('exitId' in bearer
        ? { action: 'EXIT_BUDGET_CHANGED', subject: { type: 'PROXY' }, details: { exitId: bearer.exitId } }
        : {
            action: 'NODE_BUDGET_CHANGED',
            subject: { type: 'NODE', id: bearer.nodeId },
            details: { name: node.name },
          }),
      reason,
      before,
      after: { gigabytes },
    });
    return { gigabytes };
  });
  await followBudgets(ctx, await store.listSpentExits(ctx, BUDGET_PERCENT_MAX));
  return after;
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
