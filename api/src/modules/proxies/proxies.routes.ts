import { getLowestPrice, getProxyFacets, getProxyFilter, searchProxies } from '@cellhop/contract/proxies';
import type { FastifyInstance } from 'fastify';
import { cachedRoute, route } from '../../http/route.ts';
import * as proxies from './proxies.service.ts';

export function proxiesRoutes(app: FastifyInstance): void {
  const readCounts = proxies.createCountsReader();
  const readFacets = proxies.createFacetsReader();
  cachedRoute(app, getProxyFilter, ({ ctx }) => readCounts(ctx));
  route(app, getProxyFacets, async ({ ctx, query }) => ({ data: await readFacets(ctx, query) }));
  route(app, getLowestPrice, async ({ ctx }) => ({ data: await proxies.getLowestPrice(ctx) }));
  route(app, searchProxies, async ({ ctx, query }) => ({ data: await proxies.search(ctx, query) }));
}
