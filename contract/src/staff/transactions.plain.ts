import { plain } from '../endpoint.ts';
import type * as full from './transactions.ts';

export const listUserTransactions = plain<typeof full.listUserTransactions>({
  method: 'GET',
  url: '/v1/transactions/admin',
  access: { permission: 'TRANSACTIONS_READ' },
});
export const createAdjustment = plain<typeof full.createAdjustment>({
  method: 'POST',
  url: '/v1/transactions/admin/adjustments',
  access: { permission: 'TRANSACTIONS_WRITE' },
});
