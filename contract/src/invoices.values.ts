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
