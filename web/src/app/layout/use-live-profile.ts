import { useHasLiveConnection } from '../../features/connections/api.ts';
import { profileQuery } from '../../lib/profile.ts';
import { useAnswer } from '../../lib/use-answer.ts';

/** The signed-in user; their balance follows the traffic while a connection works, and a late payment or a bonus too. */
export function useLiveProfile() {
  const hasLive = useHasLiveConnection();
  return useAnswer(profileQuery, { isBusy: () => hasLive }).answer?.data;
}
