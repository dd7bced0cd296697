import { exportOwnData } from '@cellhop/contract/users';
import type { FastifyInstance } from 'fastify';
import { routeStream } from '../../http/route.ts';
import { writeOwnData } from './data-export.service.ts';

export function dataExportRoutes(app: FastifyInstance): void {
  routeStream(app, exportOwnData, async ({ ctx, actor }) => ({
    contentType: 'application/json; charset=utf-8',
    fileName: `account-${new Date().toISOString().slice(0, 10)}.json`,
    chunks: writeOwnData(ctx, actor),
  }));
}
