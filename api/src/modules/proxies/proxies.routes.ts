import { getLowestPrice, getProxyFilter, searchProxies } from '@cellhop/contract/proxies';
import type { FastifyInstance } from 'fastify';
import { cachedRoute, route } from '../../http/route.ts';
import * as proxies from './proxies.service.ts';

export function proxiesRoutes(app: FastifyInstance): void {
  const readCounts = proxies.createCountsReader();
  cachedRoute(app, getProxyFilter, ({ ctx }) => readCounts(ctx));
  route(app, getLowestPrice, async ({ ctx }) => ({ data: await proxies.getLowestPrice(ctx) }));
  route(app, searchProxies, async ({ ctx, query }) => ({ data: await proxies.search(ctx, query) }));
}
