/** Prepared texts for answers to tickets. */
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { data, dateSchema, idParams, idSchema, versionQuery, versionSchema } from '../schemas.ts';
import { cannedReplyBody } from './tickets.forms.ts';

export { cannedReplyBody, type CannedReplyBody } from './tickets.forms.ts';

export const cannedReplySchema = z.object({
  id: idSchema,
  title: z.string(),
  contentEn: z.string(),
  contentRu: z.string(),
  version: versionSchema,
  updatedAt: dateSchema,
});
export type CannedReply = z.infer<typeof cannedReplySchema>;

export const listCannedReplies = endpoint({
  method: 'GET',
  url: '/v1/support/admin/canned-replies',
  access: { permission: 'TICKETS_READ' },
  summary: 'All canned replies by title, at most 200',
  response: data(z.array(cannedReplySchema)),
});

export const createCannedReply = endpoint({
  method: 'POST',
  url: '/v1/support/admin/canned-replies',
  access: { permission: 'TICKETS_EDIT' },
  summary: 'Add a canned reply; a repeat with the same Idempotency-Key returns the same one',
  body: cannedReplyBody,
  response: data(cannedReplySchema),
  status: 201,
  errors: ['IDEMPOTENCY_KEY_REUSED'],
});

export const changeCannedReplyBody = cannedReplyBody.extend({ version: versionSchema.optional() });

export const changeCannedReply = endpoint({
  method: 'PATCH',
  url: '/v1/support/admin/canned-replies/{id}',
  access: { permission: 'TICKETS_EDIT' },
  summary: 'Change a canned reply',
  params: idParams,
  body: changeCannedReplyBody,
  response: data(cannedReplySchema),
  errors: ['NOT_FOUND', 'CHANGED_ELSEWHERE'],
});

export const deleteCannedReply = endpoint({
  method: 'DELETE',
  url: '/v1/support/admin/canned-replies/{id}',
  access: { permission: 'TICKETS_EDIT' },
  summary: 'Delete a canned reply',
  params: idParams,
  query: versionQuery,
  response: data(z.object({ id: idSchema })),
  errors: ['NOT_FOUND', 'CHANGED_ELSEWHERE'],
});
