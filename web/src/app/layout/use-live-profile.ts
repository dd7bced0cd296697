import { useQuery } from '@tanstack/react-query';
import { useHasLiveConnection } from '../../features/connections/api.ts';
import { usePollInterval } from '../../lib/live.ts';
import { profileQuery } from '../../lib/profile.ts';

/** The signed-in user; his balance follows the traffic while a connection works, and a late payment or a bonus too. */
export function useLiveProfile() {
  const hasLive = useHasLiveConnection();
  const pollInterval = usePollInterval();
  return useQuery({ ...profileQuery, refetchInterval: pollInterval(hasLive) }).data?.data;
}
