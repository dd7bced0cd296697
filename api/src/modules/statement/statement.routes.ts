import { exportTransactions, listTransactions } from '@cellhop/contract/transactions';
import type { FastifyInstance } from 'fastify';
import { route, routeStream } from '../../http/route.ts';
import * as statement from './statement.service.ts';

export function statementRoutes(app: FastifyInstance): void {
  route(app, listTransactions, ({ ctx, actor, query }) => statement.listTransactions(ctx, actor, query));
  routeStream(app, exportTransactions, async ({ ctx, actor, query }) => ({
    contentType: 'text/csv; charset=utf-8',
    fileName: `transactions-${new Date().toISOString().slice(0, 10)}.csv`,
    chunks: statement.writeCsv(ctx, actor, query),
  }));
}
