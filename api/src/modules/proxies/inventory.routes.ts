import { IMPORT_BYTES_MAX } from '@cellhop/contract/limits';
import {
  applyImport,
  changePrices,
  changeProxyLimits,
  checkImport,
  dismissInventoryChange,
  exportInventory,
  listInventory,
  listInventoryChanges,
  readInventoryChange,
  readSelection,
  retryInventoryChange,
  restoreProxies,
  retireProxies,
} from '@cellhop/contract/staff/inventory';
import { listWaiting, removeWaiting } from '@cellhop/contract/staff/waiting-proxies';
import type { FastifyInstance } from 'fastify';
import type { Actor } from '../../http/actor.ts';
import { route, routeStream, routeUpload } from '../../http/route.ts';
import type { Requester } from '../../http/requester.ts';
import * as changes from './inventory-changes.service.ts';
import * as imports from './imports.service.ts';
import * as inventory from './inventory.service.ts';
import * as limits from './limits.service.ts';
import * as waiting from './waiting.service.ts';

const contentTypes = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' };

export function inventoryRoutes(app: FastifyInstance): void {
  route(app, listInventory, ({ ctx, query }) => inventory.listInventory(ctx, query));
  routeStream(app, exportInventory, async ({ ctx, query: { format, ...filter }, ...request }) => ({
    contentType: contentTypes[format],
    fileName: `proxies.${format}`,
    chunks: inventory.exportInventory(ctx, toEditor(request), filter, format),
  }));
  route(app, readSelection, async ({ ctx, query }) => ({ data: await inventory.readSelection(ctx, query) }));
  route(app, changePrices, async ({ ctx, body, ...request }) => ({
    data: await changes.orderChange(ctx, toEditor(request), { kind: 'PRICE', request: body }),
  }));
  route(app, changeProxyLimits, async ({ ctx, params, body, ...request }) => {
    await limits.changeLimits(ctx, toEditor(request), params.id, body);
    return { data: { id: params.id } };
  });
  route(app, retireProxies, async ({ ctx, body, ...request }) => ({
    data: await changes.orderChange(ctx, toEditor(request), { kind: 'RETIRE', request: body }),
  }));
  route(app, restoreProxies, async ({ ctx, body, ...request }) => ({
    data: await changes.orderChange(ctx, toEditor(request), { kind: 'RESTORE', request: body }),
  }));
  routeUpload(app, checkImport, IMPORT_BYTES_MAX, async ({ ctx, query, content, ...request }) => ({
    data: await imports.checkImport(ctx, toEditor(request), { ...query, content }),
  }));
  route(app, applyImport, async ({ ctx, params, ...request }) => ({
    data: await changes.orderChange(ctx, toEditor(request), { kind: 'IMPORT', request: { importId: params.id } }),
  }));
  route(app, listWaiting, ({ ctx, query }) => waiting.listWaiting(ctx, query));
  route(app, removeWaiting, async ({ ctx, params, ...request }) => {
    await waiting.removeWaiting(ctx, toEditor(request), params.id);
    return { data: params };
  });
  route(app, listInventoryChanges, async ({ ctx }) => ({ data: await changes.listChanges(ctx) }));
  route(app, retryInventoryChange, async ({ ctx, params, ...request }) => ({
    data: await changes.retryChange(ctx, toEditor(request), params.id),
  }));
  route(app, dismissInventoryChange, async ({ ctx, params, ...request }) => ({
    data: await changes.dismissChange(ctx, toEditor(request), params.id),
  }));
  route(app, readInventoryChange, async ({ ctx, params }) => ({ data: await changes.getChange(ctx, params.id) }));
}

function toEditor({ actor, requester }: { actor: Actor; requester: Requester }): inventory.Editor {
  return { actorId: actor.userId, requester };
}
