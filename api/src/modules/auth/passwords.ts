import { AppError } from '@cellhop/contract/errors';
import { clientNetworks, networkShare } from '@cellhop/contract/network';
import { hash, verify } from '@node-rs/argon2';
import { availableParallelism } from 'node:os';
import { InProgress } from '../../http/in-progress.ts';
import {
  limitConcurrency,
  type ConcurrencyUsage,
  type Priority,
  type Source,
} from '../../process/concurrency-limiter.ts';

/** OWASP's parameters for Argon2id, the library's default algorithm. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Each takes 19 MiB and a core. One core and one of the four threads of libuv's pool stay free for other work. */
const RUNNING_MAX = Math.min(3, Math.max(1, availableParallelism() - 1));
/** A client would time out before a longer queue is processed, given that known users get every second slot. */
export const WAITING_MAX = 170 * RUNNING_MAX;
const WAITING_PER_NETWORK_MAX = 100;
/** Each takes a database connection while the account and its failed attempts are looked up. */
const LOOKUPS_MAX = 2;
/** More would be refused after their lookups, when too many passwords wait, and keep out those that come after an overload. */
const LOOKUPS_WAITING_MAX = WAITING_MAX;

const hashing = limitConcurrency({
  runningMax: RUNNING_MAX,
  waitingMax: WAITING_MAX,
  waitingPerSourceMax: WAITING_PER_NETWORK_MAX,
});
const lookups = limitConcurrency({ runningMax: LOOKUPS_MAX, waitingMax: LOOKUPS_WAITING_MAX });
let decoyHash: Promise<string> | undefined;

export const ATTEMPTS_PER_NETWORK_MAX = RUNNING_MAX + WAITING_PER_NETWORK_MAX;
const attempts = new InProgress();
let refusedAttempts = 0;

/** Where work waits for its slot. Known users have their own queue, so that any number of strangers cannot block them. */
export interface QueuePlace {
  /** The client's networks, or the known user. */
  source: Source;
  priority: Priority;
}

/** For a known device, a session or a link from a mail. All devices of a user share one place. */
export function knownUser(userId: string): QueuePlace {
  return { source: [userId], priority: 'high' };
}

export function unknownClient(ip: string): QueuePlace {
  return { source: clientNetworks(ip), priority: 'normal' };
}

/** For the metrics. */
export function passwordHashUsage(): ConcurrencyUsage {
  const usage = hashing.usage();
  return { ...usage, refused: usage.refused + lookups.usage().refused + refusedAttempts };
}

/**
 * Limits the concurrent sign-in attempts of a network to as many as may wait for hashing. Others are refused without a query.
 * @throws AppError RATE_LIMITED
 */
export async function limitAttempts<T>(ip: string, work: () => Promise<T>): Promise<T> {
  const networks = clientNetworks(ip).map((name, level) => ({
    name,
    limit: networkShare(ATTEMPTS_PER_NETWORK_MAX, level),
  }));
  if (!attempts.begin(networks)) {
    refusedAttempts++;
    throw AppError.rateLimited(1);
  }
  try {
    return await work();
  } finally {
    attempts.end(networks);
  }
}

/**
 * Limits the concurrent lookups of accounts and codes by unauthenticated clients: they share a few connections of the pool, in turn by network.
 * @param mayBeKnown the client claims to be a known device; the lookup verifies it
 * @throws AppError RATE_LIMITED or UNAVAILABLE when too many passwords or lookups wait
 */
export function limitLookups<T>(ip: string, mayBeKnown: boolean, lookUp: () => Promise<T>): Promise<T> {
  const { source, priority } = unknownClient(ip);
  if (!mayBeKnown) hashing.throwIfFull(source, priority);
  return shareLookups(ip, mayBeKnown, lookUp);
}

/** The same once a password has been compared or hashed. @throws AppError UNAVAILABLE when too much waits */
export function shareLookups<T>(ip: string, isKnown: boolean, work: () => Promise<T>): Promise<T> {
  return lookups.run(work, clientNetworks(ip), isKnown ? 'high' : 'normal');
}

/** @throws AppError RATE_LIMITED or UNAVAILABLE when too many passwords wait */
export function hashPassword(password: string, { source, priority }: QueuePlace): Promise<string> {
  return hashing.run(() => hash(password.normalize('NFC'), PARAMETERS), source, priority);
}

/**
 * @param passwordHash undefined for an unknown account; the check then takes as long as for a wrong password
 * @throws AppError RATE_LIMITED or UNAVAILABLE when too many passwords wait
 */
export async function verifyPassword(
  passwordHash: string | undefined,
  password: string,
  { source, priority }: QueuePlace,
): Promise<boolean> {
  decoyHash ??= hash('nobody has this password', PARAMETERS);
  const compared = passwordHash ?? (await decoyHash);
  const isEqual = await hashing.run(() => verifyAnyForm(compared, password), source, priority);
  return isEqual && passwordHash !== undefined;
}

/**
 * Systems type one letter as different characters: "é" or "e" and an accent. Hashes are of the composed form; older ones are of the form
 * that the user typed then. Passwords of plain letters have one form.
 */
async function verifyAnyForm(compared: string, password: string): Promise<boolean> {
  for (const form of new Set([password.normalize('NFC'), password, password.normalize('NFD')]))
    if (await verify(compared, form)) return true;
  return false;
}
