import { payInvoice } from '@cellhop/contract/development';
import type { FastifyInstance } from 'fastify';
import { route } from '../http/route.ts';
import { payOnSandbox } from '../modules/invoices/sandbox-payment.service.ts';

export function payInvoiceRoutes(app: FastifyInstance): void {
  route(app, payInvoice, async ({ ctx, params, body }) => ({
    data: await payOnSandbox(ctx, params.id, body?.amountInCurrency),
  }));
}
