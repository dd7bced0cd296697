import { TICKET_FILE_BYTES_MAX } from '@cellhop/contract/limits';
import * as files from '@cellhop/contract/ticket-files';
import * as contract from '@cellhop/contract/tickets';
import type { FastifyInstance } from 'fastify';
import { readIdempotencyKey } from '../../http/validation.ts';
import { route, routeFile, routeUpload } from '../../http/route.ts';
import * as tickets from './tickets.service.ts';

export function ticketsRoutes(app: FastifyInstance): void {
  route(app, contract.listTickets, ({ ctx, actor, query }) => tickets.listOwn(ctx, actor, query));
  route(app, contract.createTicket, async ({ ctx, actor, body, headers }) => ({
    data: await tickets.openTicket(ctx, actor, body, readIdempotencyKey(headers)),
  }));
  route(app, contract.getTicket, async ({ ctx, actor, params }) => ({
    data: await tickets.getOwn(ctx, actor, params.id),
  }));
  route(app, contract.closeTicket, async ({ ctx, actor, params }) => ({
    data: await tickets.closeOwn(ctx, actor, params.id),
  }));
  route(app, contract.listTicketMessages, ({ ctx, actor, params, query }) =>
    tickets.listOwnMessages(ctx, actor, params.id, query),
  );
  route(app, contract.sendTicketMessage, async ({ ctx, actor, params, body, headers }) => ({
    data: await tickets.writeAsUser(ctx, actor, params.id, body, readIdempotencyKey(headers)),
  }));
  routeUpload(
    app,
    files.uploadTicketFile,
    TICKET_FILE_BYTES_MAX,
    async ({ ctx, actor, params, query, content }) => ({
      data: await tickets.uploadAsUser(ctx, actor, params.id, { ...query, content }),
    }),
    app.ticketUploads,
  );
  routeFile(app, files.readTicketFile, ({ ctx, actor, params }) =>
    tickets.readOwnFile(ctx, actor, params.id, params.fileId),
  );
}
