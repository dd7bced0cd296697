import { endView, startView } from '@cellhop/contract/staff/view-as';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as views from './view-sessions.service.ts';

export function viewAsRoutes(app: FastifyInstance): void {
  route(app, startView, async ({ ctx, actor, params, body, requester }) => ({
    data: await views.startView(ctx, actor, { userId: params.id, reason: body.reason }, requester),
  }));
  route(app, endView, async ({ ctx, actor, params, requester }) => ({
    data: { endedAt: (await views.endView(ctx, actor, params.id, requester)).toISOString() },
  }));
}
