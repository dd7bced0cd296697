import { getReceipt, getReceiptKey } from '@cellhop/contract/receipts';
import type { FastifyInstance } from 'fastify';
import { route, routeStream } from '../../http/route.ts';
import * as receipts from './receipts.service.ts';

export function receiptsRoutes(app: FastifyInstance): void {
  routeStream(app, getReceipt, async ({ ctx, actor, params }) => ({
    contentType: 'application/json; charset=utf-8',
    chunks: await receipts.streamReceipt(ctx, actor, params.id),
  }));
  route(app, getReceiptKey, async ({ ctx }) => ({ data: await receipts.getPublicKey(ctx) }));
}
