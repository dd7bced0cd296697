import { getReferralSummary, listOwnPromoCodes } from '@cellhop/contract/referrals.plain';
import { apiQuery } from '../../lib/query.ts';
import { useAnswer } from '../../lib/use-answer.ts';
import { useList } from '../../lib/use-list.ts';

export function useReferralSummary() {
  return useAnswer(apiQuery(getReferralSummary, {}), { isPolled: true });
}

export function useOwnPromoCodes(page: number) {
  return useList(apiQuery(listOwnPromoCodes, { query: { page } }));
}
