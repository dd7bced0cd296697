import { listUserTransactions } from '@cellhop/contract/staff/transactions';
import { exportTransactions, listTransactions, summarizeTransactions } from '@cellhop/contract/transactions';
import type { FastifyInstance } from 'fastify';
import { route, routeStream } from '../../http/route.ts';
import * as transactions from './transactions.service.ts';

export function transactionsRoutes(app: FastifyInstance): void {
  route(app, listTransactions, ({ ctx, actor, query }) => transactions.listTransactions(ctx, actor, query));
  route(app, listUserTransactions, ({ ctx, query }) => transactions.listOfUser(ctx, query));
  route(app, summarizeTransactions, async ({ ctx, actor, query }) => ({
    data: await transactions.summarizeTransactions(ctx, actor, query),
  }));
  routeStream(app, exportTransactions, async ({ ctx, actor, query }) => ({
    contentType: 'text/csv; charset=utf-8',
    fileName: `transactions-${new Date().toISOString().slice(0, 10)}.csv`,
    chunks: transactions.writeCsv(ctx, actor, query),
  }));
}
