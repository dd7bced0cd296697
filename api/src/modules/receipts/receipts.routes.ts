import { getReceipt, getReceiptKey } from '@cellhop/contract/receipts';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as receipts from './receipts.service.ts';

export function receiptsRoutes(app: FastifyInstance): void {
  route(app, getReceipt, async ({ ctx, actor, params }) => ({
    data: await receipts.getReceipt(ctx, actor, params.id),
  }));
  route(app, getReceiptKey, async ({ ctx }) => ({ data: await receipts.getPublicKey(ctx) }));
}
