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
