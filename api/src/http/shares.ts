/**
 * Every shared queue has a share for each user or network. Of the database's connections, a user has a fifth at once and a queue of their
 * own (the queries of a call run in turn), unauthenticated requests share two, in turn by network (`limitLookups`), refreshes four, in turn by session, and
 * reports of gateways four, in turn by run. No public path queries outside of these (`strangers.test.ts`).
 */
import type { Config } from '../process/config.ts';
import { LimitersByOwner } from '../process/limiters-by-owner.ts';

const PARTS = 5;
const RUNNING_MIN = 2;
/** A program that buys a hundred proxies at once should not have to know this limit. */
const WAITING_MAX = 100;

export function createShares({ databasePoolSize }: Pick<Config, 'databasePoolSize'>): LimitersByOwner {
  const runningMax = Math.max(RUNNING_MIN, Math.floor(databasePoolSize / PARTS));
  return new LimitersByOwner({ runningMax, waitingMax: WAITING_MAX });
}
