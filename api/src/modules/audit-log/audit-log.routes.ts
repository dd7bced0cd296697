import { listAuditLog } from '@cellhop/contract/staff/audit-log';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { listEntries } from './audit-log.service.ts';

export function auditLogRoutes(app: FastifyInstance): void {
  route(app, listAuditLog, ({ ctx, query }) => listEntries(ctx, query));
}
