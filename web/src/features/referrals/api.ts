import { getReferralSummary, listOwnPromoCodes } from '@cellhop/contract/referrals.plain';
import { apiQuery, pageQuery } from '../../data/query.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { useList } from '../../data/use-list.ts';

export function useReferralSummary() {
  return useApiQuery(apiQuery(getReferralSummary, {}), { isPolled: true });
}

export function useOwnPromoCodes(page: number) {
  return useList(apiQuery(listOwnPromoCodes, { query: pageQuery(page) }));
}
