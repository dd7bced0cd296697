import { replaceConnection } from '@cellhop/contract/replacements';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { replaceOwn } from './replacements.service.ts';

export function replacementsRoutes(app: FastifyInstance): void {
  route(app, replaceConnection, async ({ ctx, actor, params }) => ({ data: await replaceOwn(ctx, actor, params.id) }));
}
