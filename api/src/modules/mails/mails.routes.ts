import { listMailsToUser } from '@cellhop/contract/staff/mails';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as mails from './mails.service.ts';

export function mailsRoutes(app: FastifyInstance): void {
  route(app, listMailsToUser, ({ ctx, params, query }) => mails.listMails(ctx, params.id, query));
}
