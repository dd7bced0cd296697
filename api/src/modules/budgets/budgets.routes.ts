import { changeExitBudget, changeNodeBudget, listTrafficBudgets } from '@cellhop/contract/staff/traffic-budgets';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as budgets from './budgets.service.ts';

export function budgetsRoutes(app: FastifyInstance): void {
  route(app, listTrafficBudgets, ({ ctx, query }) => budgets.listBudgets(ctx, query));
  route(app, changeNodeBudget, async ({ ctx, actor, params, body, requester }) => {
    await budgets.changeBudget(ctx, { actorId: actor.userId, requester }, { nodeId: params.id }, body);
    return { data: params };
  });
  route(app, changeExitBudget, async ({ ctx, actor, params, body, requester }) => {
    await budgets.changeBudget(ctx, { actorId: actor.userId, requester }, { exitId: params.id }, body);
    return { data: params };
  });
}
