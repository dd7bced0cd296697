import { getReconciliation } from '@cellhop/contract/transactions';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { showReconciliation } from './reconciliation.service.ts';

export function reconciliationRoutes(app: FastifyInstance): void {
  route(app, getReconciliation, async ({ ctx }) => ({ data: await showReconciliation(ctx) }));
}
