/**
 * Limits concurrent token refreshes. Anybody with an access token, even an expired one, can send wrong refresh tokens for its session.
 * Each is looked up and counted in the database, whose connections other requests need as well.
 */
import { limitConcurrency, type ConcurrencyUsage, type Source } from '../../process/concurrency-limiter.ts';
import { LimitersByOwner } from '../../process/limiters-by-owner.ts';

/** Each refresh takes a connection of the pool; the others are for everything else. */
const RUNNING_MAX = 4;
/** Sessions with a waiting refresh. */
const SESSIONS_WAITING_MAX = 1000;
/** Per session: as many as there are sockets by default, so that an attacker with many networks cannot lock the owner out. */
const WAITING_MAX = 2000;
/** Per session and network: tabs, and the threads of a program. */
const WAITING_PER_NETWORK_MAX = 100;

const overall = limitConcurrency({ runningMax: RUNNING_MAX, waitingMax: SESSIONS_WAITING_MAX });
/** One refresh of a session runs at a time, because others would wait for its row lock. */
const sessions = new LimitersByOwner({
  runningMax: 1,
  waitingMax: WAITING_MAX,
  waitingPerSourceMax: WAITING_PER_NETWORK_MAX,
});

/** For the metrics. */
export function refreshUsage(): ConcurrencyUsage {
  const { running, waiting, refused } = overall.usage();
  const ofSessions = sessions.usage();
  return { running, waiting: waiting + ofSessions.waiting, refused: refused + ofSessions.refused };
}

/**
 * The networks of a session are served round-robin, so a stolen access token used elsewhere does not keep the owner from refreshing.
 * @throws AppError RATE_LIMITED when too many refreshes of this network wait for this session, UNAVAILABLE when too many wait in total
 */
export function limitRefreshes<T>(sessionId: string, networks: Source, refresh: () => Promise<T>): Promise<T> {
  return sessions.run(sessionId, () => overall.run(refresh), networks);
}
