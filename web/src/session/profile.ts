import { listConnections } from '@cellhop/contract/connections.plain';
import type { Output } from '@cellhop/contract/endpoint';
import type { Profile } from '@cellhop/contract/users';
import { getProfile } from '@cellhop/contract/users.plain';
import { useQuery } from '@tanstack/react-query';
import { apiQuery, queryClient } from '../data/query.ts';

type ProfileResponse = Output<typeof getProfile>;

export const profileQuery = apiQuery(getProfile, {}, { topics: ['balance', 'account'] });

/** Kept up to date by the shell (app/layout/use-live-profile.ts). */
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
  queryClient.setQueriesData<Output<typeof listConnections>>({ queryKey: [listConnections.url] }, (response) =>
    response?.balance === undefined ? response : { ...response, balance },
  );
}
