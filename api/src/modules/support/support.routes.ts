import * as contract from '@cellhop/contract/support';
import type { FastifyInstance } from 'fastify';
import { readIdempotencyKey } from '../../http/idempotency.ts';
import { route } from '../../http/route.ts';
import * as support from './support.service.ts';

export function supportRoutes(app: FastifyInstance): void {
  route(app, contract.listTickets, ({ ctx, actor, query }) => support.listOwn(ctx, actor, query));
  route(app, contract.createTicket, async ({ ctx, actor, body, headers }) => ({
    data: await support.openTicket(ctx, actor, body, readIdempotencyKey(headers)),
  }));
  route(app, contract.getTicket, async ({ ctx, actor, params }) => ({
    data: await support.getOwn(ctx, actor, params.id),
  }));
  route(app, contract.closeTicket, async ({ ctx, actor, params }) => ({
    data: await support.closeOwn(ctx, actor, params.id),
  }));
  route(app, contract.listTicketMessages, ({ ctx, actor, params, query }) =>
    support.listOwnMessages(ctx, actor, params.id, query),
  );
  route(app, contract.sendTicketMessage, async ({ ctx, actor, params, body, headers }) => ({
    data: await support.writeAsUser(ctx, actor, params.id, body.content, readIdempotencyKey(headers)),
  }));
}
