/**
 * The share of each user in what all users wait for, the connections to the database. However many calls one user sends at once, a few
 * run, the others wait in this user's own queue, and those of other users find free connections.
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
