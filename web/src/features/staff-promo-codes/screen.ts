import { promoCodeStatuses } from '@cellhop/contract/referrals.values';
import { REFERRAL_CODE_LENGTH_MAX } from '@cellhop/contract/limits';
import { IconTicket } from '@tabler/icons-react';
import { idParameter, oneOf, pageSearch, textParameter, searchParameters } from '../../loading/search-values.ts';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';

const staffPromoCodesSearch = searchParameters((search) => ({
  ...pageSearch(search),
  userId: idParameter(search['userId']),
  status: oneOf(search['status'], promoCodeStatuses),
  /** The first characters. */
  code: textParameter(search['code'])?.slice(0, REFERRAL_CODE_LENGTH_MAX),
}));

export type PromoCodesFilter = Omit<ReturnType<typeof staffPromoCodesSearch>, 'page'>;

export const staffPromoCodesScreen = {
  path: '/admin/referral-system/codes',
  permission: 'PROMO_CODES_READ',
  texts: ['staffContent', 'referralSystem'],
  search: staffPromoCodesSearch,
  title: { en: 'Promo codes', ru: 'Промокоды' },
  Icon: IconTicket,
} as const satisfies StaffScreenOf<'GET /v1/referral-system/promo-codes/admin'>;
