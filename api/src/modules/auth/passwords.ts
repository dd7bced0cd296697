import { AppError } from '@cellhop/contract/errors';
import { clientNetwork } from '@cellhop/contract/network';
import { hash, verify } from '@node-rs/argon2';
import { availableParallelism } from 'node:os';
import { takeTurns, type LineName, type TurnsUse } from '../../turns.ts';

/** OWASP's parameters for Argon2id, the library's default algorithm. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/**
 * Each takes 19 MiB and a core. One core stays free for everything else, and one of the process's four pool threads for files and
 * names.
 */
const RUNNING_MAX = Math.min(3, Math.max(1, availableParallelism() - 1));
/** More than this would not be answered before the client gives up, while those who are known have every second turn. */
const WAITING_MAX = 170 * RUNNING_MAX;
/** Whoever wants more at once from one network is not waiting for it with patience. */
const WAITING_OF_ONE_MAX = 100;
/** Each takes a connection to the database while the account and its failures are looked up. */
const LOOKUPS_MAX = 2;
const LOOKUPS_WAITING_MAX = 1000;

const turns = takeTurns({ runningMax: RUNNING_MAX, waitingMax: WAITING_MAX, waitingOfOneMax: WAITING_OF_ONE_MAX });
const lookups = takeTurns({ runningMax: LOOKUPS_MAX, waitingMax: LOOKUPS_WAITING_MAX });
let decoyHash: Promise<string> | undefined;

/** Of one network. */
export const ATTEMPTS_OF_ONE_MAX = RUNNING_MAX + WAITING_OF_ONE_MAX;
/** Attempts under way, by network. */
const attempts = new Map<string, number>();
let refusedAttempts = 0;

/** Whose turn it takes. Who is known has a line of its own, so that strangers without number do not keep it from signing in. */
export interface Applicant {
  /** The client's network, or the account that knows it. */
  origin: string;
  line: LineName;
}

/** Of a device that has signed in, a session, or a link in a mail. @param userId one account has one place, whatever devices it has */
export function known(userId: string): Applicant {
  return { origin: userId, line: 'preferred' };
}

export function stranger(ip: string): Applicant {
  return { origin: clientNetwork(ip), line: 'usual' };
}

/** For the metrics. */
export function passwordHashesUse(): TurnsUse {
  const use = turns.use();
  return { ...use, refused: use.refused + lookups.use().refused + refusedAttempts };
}

/**
 * The door before anything is looked up for a password that a stranger sends: what could not wait in line for its comparison is
 * refused without a query.
 * @throws AppError RATE_LIMITED
 */
export async function admitAttempt<T>(network: string, work: () => Promise<T>): Promise<T> {
  const underWay = attempts.get(network) ?? 0;
  if (underWay >= ATTEMPTS_OF_ONE_MAX) {
    refusedAttempts++;
    throw AppError.rateLimited(1);
  }
  attempts.set(network, underWay + 1);
  try {
    return await work();
  } finally {
    const left = attempts.get(network)! - 1;
    if (left === 0) attempts.delete(network);
    else attempts.set(network, left);
  }
}

/**
 * Runs what is looked up for an attempt before its password is compared.
 * @param mayBeKnown it says so, which is checked by the lookup
 * @throws AppError RATE_LIMITED or UNAVAILABLE when too many passwords, or too many lookups, wait
 */
export function lookUp<T>(ip: string, mayBeKnown: boolean, work: () => Promise<T>): Promise<T> {
  const { origin, line } = stranger(ip);
  if (!mayBeKnown) turns.refuseIfFull(origin, line);
  return lookups.take(work, origin, mayBeKnown ? 'preferred' : 'usual');
}

/** @throws AppError RATE_LIMITED or UNAVAILABLE when too many passwords wait */
export function hashPassword(password: string, { origin, line }: Applicant): Promise<string> {
  return turns.take(() => hash(password, PARAMETERS), origin, line);
}

/**
 * @param passwordHash undefined for an unknown account, which takes as long as a wrong password
 * @throws AppError RATE_LIMITED or UNAVAILABLE when too many passwords wait
 */
export async function verifyPassword(
  passwordHash: string | undefined,
  password: string,
  { origin, line }: Applicant,
): Promise<boolean> {
  decoyHash ??= hash('nobody has this password', PARAMETERS);
  const compared = passwordHash ?? (await decoyHash);
  const isEqual = await turns.take(() => verify(compared, password), origin, line);
  return isEqual && passwordHash !== undefined;
}
