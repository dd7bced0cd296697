import { TICKET_FILE_BYTES_MAX } from '@cellhop/contract/limits';
import * as fileContract from '@cellhop/contract/ticket-files';
import * as replyContract from '@cellhop/contract/staff/canned-replies';
import * as contract from '@cellhop/contract/staff/tickets';
import type { FastifyInstance } from 'fastify';
import type { Actor } from '../../http/actor.ts';
import { readIdempotencyKey } from '../../http/validation.ts';
import { route, routeFile, routeUpload } from '../../http/route.ts';
import type { Requester } from '../../http/requester.ts';
import * as replies from './canned-replies.service.ts';
import * as tickets from './staff-tickets.service.ts';

export function staffTicketsRoutes(app: FastifyInstance): void {
  readingRoutes(app);
  writingRoutes(app);
  cannedReplyRoutes(app);
}

function readingRoutes(app: FastifyInstance): void {
  route(app, contract.listAllTickets, ({ ctx, actor, query }) => tickets.listForStaff(ctx, actor, query));
  route(app, contract.countTicketViews, async ({ ctx, actor }) => ({ data: await tickets.countViews(ctx, actor) }));
  route(app, contract.measureFirstReplies, async ({ ctx, query }) => ({
    data: await tickets.measureFirstReplies(ctx, query),
  }));
  route(app, contract.getAnyTicket, async ({ ctx, params }) => ({ data: await tickets.getAny(ctx, params.id) }));
  route(app, contract.listAssignees, async ({ ctx }) => ({ data: await tickets.listAssignees(ctx) }));
  route(app, contract.listAnyTicketMessages, ({ ctx, params, query }) =>
    tickets.listAnyMessages(ctx, params.id, query),
  );
  routeFile(app, fileContract.readAnyTicketFile, ({ ctx, params }) =>
    tickets.readAnyFile(ctx, params.id, params.fileId),
  );
  route(app, contract.listTicketNotes, ({ ctx, params, query }) => tickets.listNotes(ctx, params.id, query));
  route(app, contract.listTicketConnections, async ({ ctx, params }) => ({
    data: await tickets.listLiveConnections(ctx, params.id),
  }));
  route(app, contract.getTicketBalance, async ({ ctx, params }) => ({
    data: await tickets.readBalance(ctx, params.id),
  }));
}

function writingRoutes(app: FastifyInstance): void {
  route(app, contract.createTicketForUser, async ({ ctx, body, ...request }) => ({
    data: await tickets.openTicketForUser(ctx, body, staffRequest(request)),
  }));
  route(app, contract.closeAnyTicket, async ({ ctx, params, ...request }) => ({
    data: await tickets.closeAny(ctx, params.id, staffRequest(request)),
  }));
  route(app, contract.assignTicket, async ({ ctx, params, body, ...request }) => ({
    data: await tickets.assign(ctx, params.id, body, staffRequest(request)),
  }));
  route(app, contract.answerTicket, async ({ ctx, params, body, ...request }) => ({
    data: await tickets.answer(ctx, params.id, body, staffRequest(request)),
  }));
  routeUpload(
    app,
    fileContract.uploadAnswerFile,
    TICKET_FILE_BYTES_MAX,
    async ({ ctx, params, query, content, ...request }) => ({
      data: await tickets.uploadForAnswer(ctx, params.id, { ...query, content }, staffRequest(request)),
    }),
    app.ticketUploads,
  );
  route(app, contract.writeTicketNote, async ({ ctx, params, body, ...request }) => ({
    data: await tickets.writeNote(ctx, params.id, body.content, staffRequest(request)),
  }));
}

function cannedReplyRoutes(app: FastifyInstance): void {
  route(app, replyContract.listCannedReplies, async ({ ctx }) => ({ data: await replies.listReplies(ctx) }));
  route(app, replyContract.createCannedReply, async ({ ctx, body, ...request }) => ({
    data: await replies.createReply(ctx, body, staffRequest(request)),
  }));
  route(app, replyContract.changeCannedReply, async ({ ctx, params, body, ...request }) => ({
    data: await replies.changeReply(ctx, params.id, body, staffRequest(request)),
  }));
  route(app, replyContract.deleteCannedReply, async ({ ctx, params, query, ...request }) => ({
    data: await replies.deleteReply(ctx, { ...params, ...query }, staffRequest(request)),
  }));
}

interface Received {
  actor: Actor;
  requester: Requester;
  headers: Parameters<typeof readIdempotencyKey>[0];
}

function staffRequest({ actor, requester, headers }: Received): tickets.StaffRequest {
  return { actor, requester, key: readIdempotencyKey(headers) };
}
