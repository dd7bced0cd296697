import { plain } from '../endpoint.ts';
import type * as full from './canned-replies.ts';

export const listCannedReplies = plain<typeof full.listCannedReplies>({
  method: 'GET',
  url: '/v1/support/admin/canned-replies',
  access: { permission: 'TICKETS_READ' },
});
export const createCannedReply = plain<typeof full.createCannedReply>({
  method: 'POST',
  url: '/v1/support/admin/canned-replies',
  access: { permission: 'TICKETS_EDIT' },
});
export const changeCannedReply = plain<typeof full.changeCannedReply>({
  method: 'PATCH',
  url: '/v1/support/admin/canned-replies/{id}',
  access: { permission: 'TICKETS_EDIT' },
});
export const deleteCannedReply = plain<typeof full.deleteCannedReply>({
  method: 'DELETE',
  url: '/v1/support/admin/canned-replies/{id}',
  access: { permission: 'TICKETS_EDIT' },
});
