import { plain } from './endpoint.ts';
import type * as full from './connections.ts';

export const connect = plain<typeof full.connect>({ method: 'POST', url: '/v1/proxies/connections', access: 'user' });
export const disconnect = plain<typeof full.disconnect>({
  method: 'POST',
  url: '/v1/proxies/connections/{id}/disconnect',
  access: 'user',
});
export const disconnectWithoutRefund = plain<typeof full.disconnectWithoutRefund>({
  method: 'POST',
  url: '/v1/proxies/connections/{id}/disconnect-without-refund',
  access: 'user',
});
export const changeConnection = plain<typeof full.changeConnection>({
  method: 'PATCH',
  url: '/v1/proxies/connections/{id}',
  access: 'user',
});
export const changePassword = plain<typeof full.changePassword>({
  method: 'POST',
  url: '/v1/proxies/connections/{id}/credentials',
  access: 'user',
});
export const getConnectionAccess = plain<typeof full.getConnectionAccess>({
  method: 'GET',
  url: '/v1/proxies/connections/{id}/access',
  access: 'user',
});
export const listConnections = plain<typeof full.listConnections>({
  method: 'GET',
  url: '/v1/proxies/connections',
  access: 'user',
});
