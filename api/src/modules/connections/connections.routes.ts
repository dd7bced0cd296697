import {
  changePassword,
  connect,
  disconnect,
  disconnectAsAdmin,
  disconnectWithoutRefund,
  listAllConnections,
  listConnections,
} from '@cellhop/contract/connections';
import type { FastifyInstance } from 'fastify';
import { readIdempotencyKey } from '../../http/idempotency.ts';
import { route } from '../../http/route.ts';
import * as access from './access.service.ts';
import * as connections from './connections.service.ts';

export function connectionsRoutes(app: FastifyInstance): void {
  route(app, connect, async ({ ctx, actor, body, headers }) => ({
    data: await connections.connect(ctx, actor, body, readIdempotencyKey(headers)),
  }));
  route(app, disconnect, async ({ ctx, actor, params }) => ({
    data: await connections.disconnect(ctx, actor, params.id),
  }));
  route(app, disconnectWithoutRefund, async ({ ctx, actor, params }) => ({
    data: await connections.disconnectWithoutRefund(ctx, actor, params.id),
  }));
  route(app, changePassword, async ({ ctx, actor, params }) => ({
    data: await access.changePassword(ctx, actor, params.id),
  }));
  route(app, listConnections, ({ ctx, actor, query }) => connections.listOwn(ctx, actor, query));
  route(app, listAllConnections, ({ ctx, query }) => connections.listForAdmin(ctx, query));
  route(app, disconnectAsAdmin, async ({ ctx, params }) => ({
    data: await connections.disconnectAsAdmin(ctx, params.id),
  }));
}
