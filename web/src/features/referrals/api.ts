import { getReferralSummary, listOwnPromoCodes } from '@cellhop/contract/referrals.plain';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { usePollInterval } from '../../lib/live.ts';
import { apiQuery } from '../../lib/query.ts';

export function useReferralSummary() {
  const pollInterval = usePollInterval();
  return useQuery({ ...apiQuery(getReferralSummary, {}), staleTime: 0, refetchInterval: pollInterval(false) });
}

export function useOwnPromoCodes(page: number) {
  return useQuery({
    ...apiQuery(listOwnPromoCodes, { query: { page } }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}
