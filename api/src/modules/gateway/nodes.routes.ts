import { changeNode, listNodes } from '@cellhop/contract/staff/nodes';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as nodes from './nodes.service.ts';

export function nodesRoutes(app: FastifyInstance): void {
  route(app, listNodes, async ({ ctx }) => ({ data: await nodes.listNodes(ctx) }));
  route(app, changeNode, async ({ ctx, actor, params, body, requester }) => ({
    data: await nodes.changeNode(ctx, actor, params.id, body, requester),
  }));
}
