import { getAlertSettings, saveAlertSettings } from '@cellhop/contract/alerts';
import { getConnectionCost, getReceipt, getReceiptKey, listCharges } from '@cellhop/contract/receipts';
import { listAnyCharges } from '@cellhop/contract/staff/connections';
import type { FastifyInstance } from 'fastify';
import { route, routeStream } from '../../http/route.ts';
import { keepValue } from '../../process/kept-value.ts';
import * as receipts from './receipts.service.ts';
import * as alerts from './alerts.service.ts';
import { unsubscribeRoutes } from './unsubscribe.routes.ts';

export function billingRoutes(app: FastifyInstance): void {
  routeStream(app, getReceipt, async ({ ctx, actor, params }) => ({
    contentType: 'application/json; charset=utf-8',
    chunks: await receipts.streamReceipt(ctx, actor, params.id),
  }));
  route(app, listCharges, ({ ctx, actor, params, query }) => receipts.listCharges(ctx, actor, params.id, query));
  route(app, listAnyCharges, ({ ctx, params, query }) => receipts.listAnyCharges(ctx, params.id, query));
  route(app, getConnectionCost, async ({ ctx, actor, params }) => ({
    data: await receipts.getCost(ctx, actor, params.id),
  }));
  const readPublicKey = keepValue(app.ctx.log, 'the keys of receipts', () => receipts.getPublicKey(app.ctx));
  route(app, getReceiptKey, async () => ({ data: await readPublicKey() }));
  route(app, getAlertSettings, async ({ ctx, actor }) => ({ data: await alerts.getAlertSettings(ctx, actor) }));
  route(app, saveAlertSettings, async ({ ctx, actor, body }) => ({
    data: await alerts.saveAlertSettings(ctx, actor, body),
  }));
  unsubscribeRoutes(app);
}
