import {
  changeExitTraffic,
  changeNodeTraffic,
  getExitTraffic,
  getNodeTraffic,
  listTrafficBudgets,
} from '@cellhop/contract/staff/traffic-budgets';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as budgets from './budgets.service.ts';

export function budgetsRoutes(app: FastifyInstance): void {
  route(app, listTrafficBudgets, ({ ctx, query }) => budgets.listBudgets(ctx, query));
  route(app, getNodeTraffic, async ({ ctx, params }) => ({
    data: await budgets.readTerms(ctx, { nodeId: params.id }),
  }));
  route(app, getExitTraffic, async ({ ctx, params }) => ({
    data: await budgets.readTerms(ctx, { exitId: params.id }),
  }));
  route(app, changeNodeTraffic, async ({ ctx, actor, params, body, requester }) => ({
    data: await budgets.changeTerms(ctx, { actorId: actor.userId, requester }, { nodeId: params.id }, body),
  }));
  route(app, changeExitTraffic, async ({ ctx, actor, params, body, requester }) => ({
    data: await budgets.changeTerms(ctx, { actorId: actor.userId, requester }, { exitId: params.id }, body),
  }));
}
