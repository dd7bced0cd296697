import { createInvoice, listAllInvoices, listInvoices } from '@cellhop/contract/invoices';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as invoices from './invoices.service.ts';

export function invoicesRoutes(app: FastifyInstance): void {
  route(app, createInvoice, async ({ ctx, actor, body }) => ({ data: await invoices.createInvoice(ctx, actor, body) }));
  route(app, listInvoices, ({ ctx, actor, query }) => invoices.listOwn(ctx, actor, query));
  route(app, listAllInvoices, ({ ctx, query }) => invoices.listForAdmin(ctx, query));
}
