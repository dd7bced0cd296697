import {
  cancelInvoice,
  createInvoice,
  getTopUpReceipt,
  listCurrencies,
  listInvoices,
} from '@cellhop/contract/invoices';
import {
  getAnyInvoice,
  exportInvoices,
  listAllInvoices,
  listSuspendedPayments,
  listUnassignedPayments,
} from '@cellhop/contract/staff/invoices';
import type { FastifyInstance } from 'fastify';
import { route, routeStream } from '../../http/route.ts';
import * as suspendedPayments from './suspended-payments.service.ts';
import * as invoices from './invoices.service.ts';
import * as staffInvoices from './staff-invoices.service.ts';

export function invoicesRoutes(app: FastifyInstance): void {
  route(app, listCurrencies, async ({ ctx }) => ({ data: await invoices.listCurrencies(ctx) }));
  route(app, createInvoice, async ({ ctx, actor, body }) => ({ data: await invoices.createInvoice(ctx, actor, body) }));
  route(app, cancelInvoice, async ({ ctx, actor, params }) => ({
    data: await invoices.cancelInvoice(ctx, actor, params.id),
  }));
  route(app, listInvoices, ({ ctx, actor, query }) => invoices.listOwn(ctx, actor, query));
  route(app, getTopUpReceipt, async ({ ctx, actor, params }) => ({
    data: await invoices.showReceipt(ctx, actor, params.number),
  }));
  routeStream(app, exportInvoices, ({ ctx, query, ...by }) => staffInvoices.exportInvoices(ctx, by, query));
  route(app, listAllInvoices, ({ ctx, query }) => staffInvoices.listAll(ctx, query));
  route(app, listUnassignedPayments, ({ ctx, query }) => staffInvoices.listUnassigned(ctx, query));
  route(app, listSuspendedPayments, ({ ctx, query }) => suspendedPayments.listSuspended(ctx, query));
  route(app, getAnyInvoice, async ({ ctx, params }) => ({ data: await staffInvoices.showDetail(ctx, params.id) }));
}
