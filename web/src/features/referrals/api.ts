import { apiQuery, pageQuery } from '../../data/query.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { useList } from '../../data/use-list.ts';

export function useReferralSummary() {
  return useApiQuery(apiQuery('GET /v1/referral-system', {}), { isPolled: true });
}

export function useOwnPromoCodes(page: number) {
  return useList(apiQuery('GET /v1/referral-system/promo-codes', { query: pageQuery(page) }));
}
