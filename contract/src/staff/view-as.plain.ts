import { plain } from '../endpoint.ts';
import type * as full from './view-as.ts';

export const startView = plain<typeof full.startView>({
  method: 'POST',
  url: '/v1/users/admin/{id}/views',
  access: { permission: 'USERS_VIEW_AS' },
});
export const endView = plain<typeof full.endView>({
  method: 'POST',
  url: '/v1/users/admin/views/{id}/end',
  access: { permission: 'USERS_VIEW_AS' },
});
