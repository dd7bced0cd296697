import { getUsage } from '@cellhop/contract/usage';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as usage from './usage.service.ts';

export function usageRoutes(app: FastifyInstance): void {
  route(app, getUsage, async ({ ctx, actor, query }) => ({ data: await usage.readUsage(ctx, actor, query) }));
}
