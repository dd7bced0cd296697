import { createFaq, deleteFaq, listAllFaqs, listFaqs, updateFaq } from '@cellhop/contract/faqs';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as faqs from './faqs.service.ts';

export function faqsRoutes(app: FastifyInstance): void {
  route(app, listFaqs, async ({ ctx, actor, query }) => ({
    data: await faqs.listFaqs(ctx, query.languageCode ?? actor.languageCode),
  }));
  route(app, listAllFaqs, ({ ctx, query }) => faqs.listForAdmin(ctx, query));
  route(app, createFaq, async ({ ctx, body }) => ({ data: await faqs.createFaq(ctx, body) }));
  route(app, updateFaq, async ({ ctx, params, body }) => ({ data: await faqs.updateFaq(ctx, params.id, body) }));
  route(app, deleteFaq, async ({ ctx, params }) => ({ data: await faqs.deleteFaq(ctx, params.id) }));
}
