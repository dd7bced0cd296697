import { authorize, end, hello, update, watch } from '@cellhop/contract/gateway';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import type { HeldCalls } from './held-calls.ts';
import * as metering from './metering.service.ts';

export function meteringRoutes(app: FastifyInstance, heldCalls: HeldCalls): void {
  route(app, hello, async ({ ctx, nodeId, body }) => ({ data: metering.greet(ctx, nodeId, body.contractVersion) }));
  route(app, authorize, async ({ ctx, nodeId, body }) => ({ data: await metering.authorize(ctx, nodeId, body) }));
  route(app, update, async ({ ctx, nodeId, body }) => ({
    data: await metering.update(ctx, nodeId, body.runId, body.usages),
  }));
  route(app, end, async ({ ctx, nodeId, body }) => ({
    data: await metering.end(ctx, nodeId, body.runId, body.usages),
  }));
  route(app, watch, async ({ ctx, nodeId, body }) => ({
    data: { ended: await metering.watch(ctx, heldCalls, nodeId, body.runId) },
  }));
  // The server waits for open answers before it closes.
  app.addHook('preClose', async () => heldCalls.close());
}
