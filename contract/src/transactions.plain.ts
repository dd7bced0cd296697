import { plain } from './endpoint.ts';
import type * as full from './transactions.ts';

export const transactionKinds = [
  'TOP_UP',
  'TRIAL',
  'REFERRAL_BONUS',
  'PREPAID_50_MB',
  'MEGABYTE',
  'REFUND',
  'ADJUSTMENT',
  'REVERSAL',
  'RESTORATION',
] as const;

export type TransactionKind = (typeof transactionKinds)[number];

export const listTransactions = plain<typeof full.listTransactions>({
  method: 'GET',
  url: '/v1/transactions',
  access: 'user',
});
export const exportTransactions = plain<typeof full.exportTransactions>({
  method: 'GET',
  url: '/v1/transactions/export',
  access: 'user',
});
export const summarizeTransactions = plain<typeof full.summarizeTransactions>({
  method: 'GET',
  url: '/v1/transactions/summary',
  access: 'user',
});
export const getReconciliation = plain<typeof full.getReconciliation>({
  method: 'GET',
  url: '/v1/transactions/admin/reconciliation',
  access: { permission: 'TRANSACTIONS_READ' },
});
