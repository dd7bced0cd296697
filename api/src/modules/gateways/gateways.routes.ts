import { authorize, authorizeAddress, end, hello, update, watch } from '@cellhop/contract/gateway';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { type HeldCalls, toWatchAnswer } from './held-calls.ts';
import * as gateways from './gateways.service.ts';

export function gatewaysRoutes(app: FastifyInstance, heldCalls: HeldCalls): void {
  route(app, hello, async ({ ctx, nodeId, body }) => ({ data: gateways.greet(ctx, nodeId, body.contractVersion) }));
  route(app, authorize, async ({ ctx, nodeId, body }) => ({ data: await gateways.authorize(ctx, nodeId, body) }));
  route(app, authorizeAddress, async ({ ctx, nodeId, body }) => ({
    data: await gateways.authorizeAddress(ctx, nodeId, body),
  }));
  route(app, update, async ({ ctx, nodeId, body }) => ({
    data: await gateways.update(ctx, nodeId, body.runId, body.usages),
  }));
  route(app, end, async ({ ctx, nodeId, body }) => ({
    data: await gateways.end(ctx, nodeId, body.runId, body.usages),
  }));
  route(app, watch, async ({ ctx, nodeId, body }) => ({
    data: toWatchAnswer(await gateways.watch(ctx, heldCalls, nodeId, body.runId)),
  }));
  // The server waits for open answers before it closes.
  app.addHook('preClose', async () => heldCalls.close());
}
