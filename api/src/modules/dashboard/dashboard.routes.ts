import { getDashboard } from '@cellhop/contract/staff/dashboard';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { readDashboard } from './dashboard.service.ts';

export function dashboardRoutes(app: FastifyInstance): void {
  route(app, getDashboard, async ({ ctx, actor, query }) => ({ data: await readDashboard(ctx, actor, query) }));
}
