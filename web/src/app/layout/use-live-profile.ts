import { useQuery } from '@tanstack/react-query';
import { useHasLiveConnection } from '../../features/connections/api.ts';
import { profileQuery } from '../../lib/profile.ts';
import { CALM_INTERVAL_MS, LIVE_INTERVAL_MS } from '../../lib/query.ts';

/** The signed-in user; his balance follows the traffic while a connection works, and a late payment or a bonus too. */
export function useLiveProfile() {
  const hasLive = useHasLiveConnection();
  return useQuery({ ...profileQuery, refetchInterval: hasLive ? LIVE_INTERVAL_MS : CALM_INTERVAL_MS }).data?.data;
}
