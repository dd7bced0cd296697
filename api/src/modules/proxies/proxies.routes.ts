import { getLowestPrice, getProxyFacets, getProxyFilter, getStock, searchProxies } from '@cellhop/contract/proxies';
import type { FastifyInstance } from 'fastify';
import { cachedRoute, route } from '../../http/route.ts';
import { keepValue } from '../../process/kept-value.ts';
import * as proxies from './proxies.service.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Rejects only while nothing is known. */
    readStock: () => Promise<proxies.Stock>;
  }
}

export function proxiesRoutes(app: FastifyInstance): void {
  const readCounts = proxies.createCountsReader();
  const facets = proxies.createFacetsReader();
  app.decorate('readStock', proxies.createStockReader(app.ctx, facets));
  cachedRoute(app, getProxyFilter, ({ ctx }) => readCounts(ctx));
  route(app, getProxyFacets, async ({ ctx, query }) => ({ data: await facets.count(ctx, query) }));
  const readLowestPrice = keepValue(app.ctx.log, 'the lowest price', () => proxies.getLowestPrice(app.ctx));
  route(app, getLowestPrice, async () => ({ data: await readLowestPrice() }));
  route(app, getStock, async () => ({ data: proxies.presentStock(await app.readStock()) }));
  route(app, searchProxies, async ({ ctx, query }) => ({ data: await proxies.search(ctx, query) }));
}
