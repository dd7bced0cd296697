import { plain } from '../endpoint.ts';
import type * as full from './promo-codes.ts';

export const listPromoCodes = plain<typeof full.listPromoCodes>({
  method: 'GET',
  url: '/v1/referral-system/promo-codes/admin',
  access: { permission: 'PROMO_CODES_READ' },
});
export const createPromoCode = plain<typeof full.createPromoCode>({
  method: 'POST',
  url: '/v1/referral-system/promo-codes/admin',
  access: { permission: 'PROMO_CODES_WRITE' },
});
export const disablePromoCode = plain<typeof full.disablePromoCode>({
  method: 'POST',
  url: '/v1/referral-system/promo-codes/admin/{id}/disable',
  access: { permission: 'PROMO_CODES_WRITE' },
});
