import { useHasLiveConnection } from '../../features/connections/api.ts';
import { profileQuery } from '../../lib/profile.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';

/** The signed-in user; their balance follows the traffic while a connection works, and a late payment or a bonus too. */
export function useLiveProfile() {
  const hasLive = useHasLiveConnection();
  return useApiQuery(profileQuery, { isBusy: () => hasLive }).response?.data;
}
