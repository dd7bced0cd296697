import { getReferralSummary, listOwnPromoCodes } from '@cellhop/contract/referrals.plain';
import { apiQuery, pageQuery } from '../../lib/query.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { useList } from '../../lib/use-list.ts';

export function useReferralSummary() {
  return useApiQuery(apiQuery(getReferralSummary, {}), { isPolled: true });
}

export function useOwnPromoCodes(page: number) {
  return useList(apiQuery(listOwnPromoCodes, { query: pageQuery(page) }));
}
