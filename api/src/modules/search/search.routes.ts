import { searchEverything } from '@cellhop/contract/staff/search';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { search } from './search.service.ts';

export function searchRoutes(app: FastifyInstance): void {
  route(app, searchEverything, async ({ ctx, actor, query }) => ({
    data: await search(ctx, actor, query.text, query.at),
  }));
}
