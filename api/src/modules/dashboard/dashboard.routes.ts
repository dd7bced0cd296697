import { getAttention, getDashboard } from '@cellhop/contract/staff/dashboard';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { readAttention } from './attention.service.ts';
import { readDashboard } from './dashboard.service.ts';

export function dashboardRoutes(app: FastifyInstance): void {
  route(app, getDashboard, async ({ ctx, actor, query }) => ({ data: await readDashboard(ctx, actor, query) }));
  route(app, getAttention, async ({ ctx, actor }) => ({ data: await readAttention(ctx, actor) }));
}
