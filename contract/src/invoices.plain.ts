import { plain } from './endpoint.ts';
import type * as full from './invoices.ts';

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

export const listCurrencies = plain<typeof full.listCurrencies>({
  method: 'GET',
  url: '/v1/payments/currencies',
  access: 'user',
});
export const createInvoice = plain<typeof full.createInvoice>({
  method: 'POST',
  url: '/v1/payments/invoices',
  access: 'user',
});
export const listInvoices = plain<typeof full.listInvoices>({
  method: 'GET',
  url: '/v1/payments/invoices',
  access: 'user',
});
