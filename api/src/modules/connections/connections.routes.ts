import {
  changeConnection,
  changePassword,
  connect,
  disconnect,
  disconnectWithoutRefund,
  exportConnections,
  getConnectionAccess,
  listConnections,
} from '@cellhop/contract/connections';
import {
  endAnyConnection,
  endSeveralConnections,
  exportAllConnections,
  listAllConnections,
} from '@cellhop/contract/staff/connections';
import type { FastifyInstance } from 'fastify';
import { toNetwork } from '../../http/requester.ts';
import { readIdempotencyKey } from '../../http/validation.ts';
import { route, routeStream } from '../../http/route.ts';
import * as access from './access.service.ts';
import { connectionFiles } from './connection-file.ts';
import * as connections from './connections.service.ts';
import * as staffConnections from './staff-connections.service.ts';

export function connectionsRoutes(app: FastifyInstance): void {
  route(app, connect, async ({ ctx, actor, body, headers, requester }) => ({
    data: await connections.connect(ctx, actor, body, {
      idempotencyKey: readIdempotencyKey(headers),
      network: toNetwork(requester),
    }),
  }));
  route(app, disconnect, async ({ ctx, actor, params }) => ({
    data: await connections.disconnect(ctx, actor, params.id),
  }));
  route(app, disconnectWithoutRefund, async ({ ctx, actor, params }) => ({
    data: await connections.disconnectWithoutRefund(ctx, actor, params.id),
  }));
  route(app, changePassword, async ({ ctx, actor, params, headers }) => ({
    data: await access.changePassword(ctx, actor, params.id, readIdempotencyKey(headers)),
  }));
  route(app, listConnections, ({ ctx, actor, query: { active, ...query } }) =>
    connections.listOwn(ctx, actor, { ...query, isActive: active !== undefined }),
  );
  routeStream(app, exportConnections, async ({ ctx, actor, query: { format } }) => ({
    contentType: connectionFiles[format].contentType,
    fileName: `proxies.${format}`,
    chunks: connections.exportOwn(ctx, actor, format),
  }));
  route(app, changeConnection, async ({ ctx, actor, params, body }) => ({
    data: await connections.changeOwn(ctx, actor, params.id, body),
  }));
  route(app, getConnectionAccess, async ({ ctx, actor, params }) => ({
    data: await access.readOwn(ctx, actor, params.id),
  }));
  route(app, listAllConnections, ({ ctx, query }) => connections.listForStaff(ctx, query));
  routeStream(app, exportAllConnections, ({ ctx, query, ...by }) => staffConnections.exportForStaff(ctx, by, query));
  route(app, endSeveralConnections, async ({ ctx, body, ...by }) => ({
    data: await staffConnections.endSeveral(ctx, by, body),
  }));
  route(app, endAnyConnection, async ({ ctx, actor, params, body, requester }) => ({
    data: await connections.endAnyConnection(ctx, actor, { id: params.id, reason: body?.reason }, requester),
  }));
}
