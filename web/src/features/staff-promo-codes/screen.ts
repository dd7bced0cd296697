import { promoCodeStatuses } from '@cellhop/contract/referrals.values';
import { REFERRAL_CODE_LENGTH_MAX } from '@cellhop/contract/limits';
import { IconTicket } from '@tabler/icons-react';
import { idOf, oneOf, pageSearch, type Search, textOf } from '../../loading/search-values.ts';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';

export const staffPromoCodesScreen = {
  path: '/admin/referral-system/codes',
  permission: 'PROMO_CODES_READ',
  texts: ['staffContent', 'referralSystem'],
  search: staffPromoCodesSearch,
  title: 'promoCodes',
  Icon: IconTicket,
} as const satisfies StaffScreenOf<'GET /v1/referral-system/promo-codes/admin'>;

export interface PromoCodesFilter {
  userId?: string | undefined;
  status?: (typeof promoCodeStatuses)[number] | undefined;
  /** The first characters. */
  code?: string | undefined;
}

interface StaffPromoCodesSearch extends PromoCodesFilter {
  page?: number | undefined;
}

function staffPromoCodesSearch(search: Search): StaffPromoCodesSearch {
  return {
    ...pageSearch(search),
    userId: idOf(search['userId']),
    status: oneOf(search['status'], promoCodeStatuses),
    code: textOf(search['code'])?.slice(0, REFERRAL_CODE_LENGTH_MAX),
  };
}
