import { plain } from '../endpoint.ts';
import type * as full from './mails.ts';

export const listMailsToUser = plain<typeof full.listMailsToUser>({
  method: 'GET',
  url: '/v1/users/admin/{id}/mails',
  access: { permission: 'USERS_READ' },
});
