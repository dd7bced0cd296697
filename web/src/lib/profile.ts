import type { Output } from '@cellhop/contract/endpoint';
import type { Profile } from '@cellhop/contract/users';
import { getProfile } from '@cellhop/contract/users.plain';
import { useQuery } from '@tanstack/react-query';
import { apiQuery, queryClient } from './query.ts';

type ProfileAnswer = Output<typeof getProfile>;

export const profileQuery = apiQuery(getProfile, {}, { topics: ['balance', 'account'] });

/** Kept up to date by the frame (app/layout/use-live-profile.ts). */
export function useProfile(): Profile | undefined {
  return useQuery(profileQuery).data?.data;
}

/** Keeps the profile that another answer carried. */
export function rememberProfile(profile: Profile): void {
  queryClient.setQueryData<ProfileAnswer>(profileQuery.queryKey, { data: profile });
}

/** Shows a balance that another answer carried, without asking for the profile. */
export async function showBalance(balance: number): Promise<void> {
  // A profile on its way would bring the balance of before.
  await queryClient.cancelQueries({ queryKey: profileQuery.queryKey });
  queryClient.setQueryData<ProfileAnswer>(profileQuery.queryKey, (answer) =>
    answer === undefined ? answer : { data: { ...answer.data, balance } },
  );
}
