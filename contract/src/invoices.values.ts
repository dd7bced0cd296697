export const currencies = [
  'BTC',
  'ETH',
  'LTC',
  'TRX',
  'TON',
  'USDT_TRC20',
  'USDT_ERC20',
  'USDT_BSC',
  'USDT_TON',
] as const;

export type Currency = (typeof currencies)[number];

export const invoiceStatuses = ['PENDING', 'CONFIRMING', 'PARTIALLY_PAID', 'PAID', 'OVERPAID', 'EXPIRED'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];
