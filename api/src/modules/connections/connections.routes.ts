import {
  connect,
  disconnect,
  disconnectAsAdmin,
  idempotencyKeySchema,
  listAllConnections,
  listConnections,
} from '@cellhop/contract/connections';
import { AppError } from '@cellhop/contract/errors';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as connections from './connections.service.ts';

export function connectionsRoutes(app: FastifyInstance): void {
  route(app, connect, async ({ ctx, actor, body, headers }) => ({
    data: await connections.connect(ctx, actor, body, readIdempotencyKey(headers['idempotency-key'])),
  }));
  route(app, disconnect, async ({ ctx, actor, params }) => ({
    data: await connections.disconnect(ctx, actor, params.id),
  }));
  route(app, listConnections, ({ ctx, actor, query }) => connections.listOwn(ctx, actor, query));
  route(app, listAllConnections, ({ ctx, query }) => connections.listForAdmin(ctx, query));
  route(app, disconnectAsAdmin, async ({ ctx, params }) => ({
    data: await connections.disconnectAsAdmin(ctx, params.id),
  }));
}

function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  const parsed = idempotencyKeySchema.safeParse(header);
  if (parsed.success) return parsed.data;
  throw AppError.validation([{ path: 'headers.idempotency-key', message: parsed.error.issues[0]!.message }]);
}
