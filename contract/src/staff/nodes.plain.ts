import { plain } from '../endpoint.ts';
import type * as full from './nodes.ts';

export const listNodes = plain<typeof full.listNodes>({
  method: 'GET',
  url: '/v1/nodes/admin',
  access: { permission: 'NODES_READ' },
});
export const changeNode = plain<typeof full.changeNode>({
  method: 'PATCH',
  url: '/v1/nodes/admin/{id}',
  access: { permission: 'NODES_EDIT' },
});
