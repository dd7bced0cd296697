import { plain } from '../endpoint.ts';
import type * as full from './connections.ts';

/** A leading minus: descending. The first is the default. */
export const connectionSorts = ['-createdAt', 'createdAt'] as const;
export type ConnectionSort = (typeof connectionSorts)[number];

export const listAllConnections = plain<typeof full.listAllConnections>({
  method: 'GET',
  url: '/v1/proxies/connections/admin',
  access: { permission: 'CONNECTIONS_READ' },
});
export const endAnyConnection = plain<typeof full.endAnyConnection>({
  method: 'POST',
  url: '/v1/proxies/connections/admin/{id}/disconnect',
  access: { permission: 'CONNECTIONS_EDIT' },
});
