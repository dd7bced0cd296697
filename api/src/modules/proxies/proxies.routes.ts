import { getProxyFilter, searchProxies } from '@cellhop/contract/proxies';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as proxies from './proxies.service.ts';

export function proxiesRoutes(app: FastifyInstance): void {
  const readFilter = proxies.createFilterReader();
  route(app, getProxyFilter, async ({ ctx }) => ({ data: await readFilter(ctx) }));
  route(app, searchProxies, async ({ ctx, query }) => ({ data: await proxies.search(ctx, query) }));
}
