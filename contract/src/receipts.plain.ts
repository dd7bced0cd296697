import { plain } from './endpoint.ts';
import type * as full from './receipts.ts';

export const getReceipt = plain<typeof full.getReceipt>({
  method: 'GET',
  url: '/v1/proxies/connections/{id}/receipt',
  access: 'user',
});
export const listCharges = plain<typeof full.listCharges>({
  method: 'GET',
  url: '/v1/proxies/connections/{id}/charges',
  access: 'user',
});
export const getConnectionCost = plain<typeof full.getConnectionCost>({
  method: 'GET',
  url: '/v1/proxies/connections/{id}/cost',
  access: 'user',
});
export const getReceiptKey = plain<typeof full.getReceiptKey>({
  method: 'GET',
  url: '/v1/receipts/public-key',
  access: 'public',
});
