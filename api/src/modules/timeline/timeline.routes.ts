import { getTimeline } from '@cellhop/contract/staff/timeline';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as timeline from './timeline.service.ts';

export function timelineRoutes(app: FastifyInstance): void {
  route(app, getTimeline, ({ ctx, actor, params, query }) => timeline.getTimeline(ctx, actor, params.id, query));
}
