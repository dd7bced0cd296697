import { useQuery } from '@tanstack/react-query';
import { useHasLiveConnection } from '../../features/connections/api.ts';
import { profileQuery } from '../../lib/profile.ts';
import { LIVE_INTERVAL_MS } from '../../lib/query.ts';

/** The signed-in user; his balance follows the traffic while a connection works. */
export function useLiveProfile() {
  const hasLive = useHasLiveConnection();
  return useQuery({ ...profileQuery, refetchInterval: hasLive ? LIVE_INTERVAL_MS : false }).data?.data;
}
