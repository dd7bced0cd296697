import { useLiveConnections } from '../../features/connections/api.ts';
import { profileQuery } from '../../session/profile.ts';
import { useApiQuery } from '../../data/use-api-query.ts';

/** The signed-in user. Their balance is polled more often while a connection works. */
export function useLiveProfile() {
  const { hasLive, balance } = useLiveConnections();
  const profile = useApiQuery(profileQuery, { isBusy: () => hasLive }).response?.data;
  return profile !== undefined && balance !== undefined ? { ...profile, balance } : profile;
}
