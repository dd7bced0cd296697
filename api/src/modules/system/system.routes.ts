import { getSystemState, listJobs, retryJob } from '@cellhop/contract/staff/system';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as system from './system.service.ts';

export function systemRoutes(app: FastifyInstance): void {
  route(app, getSystemState, async ({ ctx }) => ({ data: await system.showState(ctx) }));
  route(app, listJobs, ({ ctx, query }) => system.listJobs(ctx, query));
  route(app, retryJob, async ({ ctx, actor, params, body, requester }) => ({
    data: await system.retryJob(ctx, actor, { id: params.id, reason: body?.reason }, requester),
  }));
}
