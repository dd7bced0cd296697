import { listFaq } from '@cellhop/contract/faq';
import * as staff from '@cellhop/contract/staff/faq';
import type { FastifyInstance } from 'fastify';
import { readIdempotencyKey } from '../../http/validation.ts';
import { route } from '../../http/route.ts';
import * as faq from './faq.service.ts';

export function faqRoutes(app: FastifyInstance): void {
  route(app, listFaq, async ({ ctx, actor, query }) => ({
    data: await faq.listFaq(ctx, query.languageCode ?? actor.languageCode),
  }));
  route(app, staff.listFaqEntries, async ({ ctx }) => ({ data: await faq.listEntries(ctx) }));
  route(app, staff.createFaqEntry, async ({ ctx, actor, body, headers, requester }) => ({
    data: await faq.createEntry(ctx, { actor, requester }, body.texts, readIdempotencyKey(headers)),
  }));
  route(app, staff.changeFaqEntry, async ({ ctx, actor, params, body, requester }) => ({
    data: await faq.changeEntry(ctx, { actor, requester }, params.id, body),
  }));
  route(app, staff.moveFaqEntry, async ({ ctx, actor, params, body, requester }) => ({
    data: await faq.moveEntry(ctx, { actor, requester }, params.id, body),
  }));
  route(app, staff.deleteFaqEntry, async ({ ctx, actor, params, query, requester }) => ({
    data: await faq.deleteEntry(ctx, { actor, requester }, params.id, query.version),
  }));
}
