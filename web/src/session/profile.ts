import type { EndpointOutput } from '@cellhop/contract/endpoints';
import type { Profile } from '@cellhop/contract/users';
import { useQuery } from '@tanstack/react-query';
import { apiQuery, queryClient } from '../data/query.ts';

type ProfileResponse = EndpointOutput<'GET /v1/profile'>;

export const profileQuery = apiQuery('GET /v1/profile', {}, { topics: ['balance', 'account'] });

/** Kept up to date by the shell (app/layout/top-bar.tsx). */
export function useProfile(): Profile | undefined {
  return useQuery(profileQuery).data?.data;
}

/** Stores a profile that was part of another response. */
export function cacheProfile(profile: Profile): void {
  queryClient.setQueryData<ProfileResponse>(profileQuery.queryKey, { data: profile });
}

/** Stores a balance that was part of another response, without fetching the profile. */
export async function showBalance(balance: number): Promise<void> {
  // A profile that is being fetched would contain the previous balance.
  await queryClient.cancelQueries({ queryKey: profileQuery.queryKey });
  queryClient.setQueryData<ProfileResponse>(profileQuery.queryKey, (response) =>
    response === undefined ? response : { data: { ...response.data, balance } },
  );
  // The list of connections also contains the balance, from the same snapshot as the costs.
  queryClient.setQueriesData<EndpointOutput<'GET /v1/proxies/connections'>>(
    { queryKey: ['GET /v1/proxies/connections'] },
    (response) => (response?.balance === undefined ? response : { ...response, balance }),
  );
}
