import { plain } from '../endpoint.ts';
import type * as full from './faqs.ts';

export const listFaqEntries = plain<typeof full.listFaqEntries>({
  method: 'GET',
  url: '/v1/faqs/admin',
  access: { permission: 'FAQ_READ' },
});
export const createFaqEntry = plain<typeof full.createFaqEntry>({
  method: 'POST',
  url: '/v1/faqs/admin',
  access: { permission: 'FAQ_WRITE' },
});
export const changeFaqEntry = plain<typeof full.changeFaqEntry>({
  method: 'PATCH',
  url: '/v1/faqs/admin/{id}',
  access: { permission: 'FAQ_EDIT' },
});
export const moveFaqEntry = plain<typeof full.moveFaqEntry>({
  method: 'POST',
  url: '/v1/faqs/admin/{id}/move',
  access: { permission: 'FAQ_EDIT' },
});
export const deleteFaqEntry = plain<typeof full.deleteFaqEntry>({
  method: 'DELETE',
  url: '/v1/faqs/admin/{id}',
  access: { permission: 'FAQ_DELETE' },
});
