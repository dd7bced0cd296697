import { exportMargins, listMarginMonths, listMargins } from '@cellhop/contract/staff/margins';
import {
  changeExitTraffic,
  changeNodeTraffic,
  getExitTraffic,
  getNodeTraffic,
  listTrafficBudgets,
} from '@cellhop/contract/staff/traffic-budgets';
import type { FastifyInstance } from 'fastify';
import { route, routeStream } from '../../http/route.ts';
import * as budgets from './budgets.service.ts';
import * as margins from './margins.service.ts';

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
  route(app, listMargins, ({ ctx, query }) => margins.listMargins(ctx, query));
  route(app, listMarginMonths, async ({ ctx }) => ({ data: await margins.listMonths(ctx) }));
  routeStream(app, exportMargins, ({ ctx, actor, requester, query }) =>
    margins.exportMargins(ctx, { actor, requester }, query),
  );
}
