import { checkConnection } from '@cellhop/contract/connection-checks';
import { checkExits, echo } from '@cellhop/contract/exit-checks';
import { changeExitNames, checkExitNow, listExitDays } from '@cellhop/contract/staff/exit-checks';
import { changeNode, listNodes } from '@cellhop/contract/staff/nodes';
import { authorize, authorizeAddress, dnsPorts, end, hello, update, watch } from '@cellhop/contract/gateway';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { LongPolls, toWatchResponse } from './long-polls.ts';
import * as connectionChecks from './connection-checks.service.ts';
import * as exitChecks from './exit-checks.service.ts';
import * as exitNames from './exit-names.service.ts';
import * as exitHistory from './exit-history.service.ts';
import * as gateway from './gateway.service.ts';
import * as nodes from './nodes.service.ts';
import * as watches from './watches.service.ts';

declare module 'fastify' {
  interface FastifyInstance {
    longPolls: LongPolls;
  }
}

export function gatewayRoutes(app: FastifyInstance): void {
  const longPolls = new LongPolls();
  app.decorate('longPolls', longPolls);
  route(app, hello, async ({ ctx, nodeId, body }) => ({
    data: await gateway.handleHello(ctx, nodeId, body),
  }));
  route(app, authorize, async ({ ctx, nodeId, body }) => ({ data: await gateway.authorize(ctx, nodeId, body) }));
  route(app, authorizeAddress, async ({ ctx, nodeId, body }) => ({
    data: await gateway.authorizeAddress(ctx, nodeId, body),
  }));
  route(app, dnsPorts, async ({ ctx, nodeId }) => ({ data: await gateway.listDnsPorts(ctx, nodeId) }));
  route(app, update, async ({ ctx, nodeId, body }) => ({
    data: await gateway.update(ctx, nodeId, body.runId, body.usages),
  }));
  route(app, end, async ({ ctx, nodeId, body }) => ({
    data: await gateway.end(ctx, nodeId, body.runId, body.usages),
  }));
  route(app, checkExits, async ({ ctx, nodeId, body }) => ({
    data: await exitChecks.exchangeChecks(ctx, nodeId, body),
  }));
  route(app, echo, async ({ query, requester }) => ({ data: { nonce: query.nonce, address: requester.ip } }));
  route(app, listExitDays, async ({ ctx, params }) => ({ data: await exitHistory.listDays(ctx, params.id) }));
  route(app, checkExitNow, async ({ ctx, params }) => {
    await exitChecks.requestCheck(ctx, params.id);
    return { data: { id: params.id } };
  });
  route(app, changeExitNames, async ({ ctx, actor, params, body, requester }) => {
    await exitNames.changeNames(ctx, { actorId: actor.userId, requester }, params.id, body);
    return { data: { id: params.id } };
  });
  route(app, checkConnection, async ({ ctx, actor, params }) => ({
    data: await connectionChecks.checkOwn(ctx, actor, params.id),
  }));
  route(app, watch, async ({ ctx, nodeId, body }) => ({
    data: toWatchResponse(await watches.watch(ctx, longPolls, nodeId, body)),
  }));
  // Closing the server waits for open responses.
  app.addHook('preClose', async () => longPolls.close());
  route(app, listNodes, async ({ ctx }) => ({ data: await nodes.listNodes(ctx) }));
  route(app, changeNode, async ({ ctx, actor, params, body, requester }) => ({
    data: await nodes.changeNode(ctx, actor, params.id, body, requester),
  }));
}
