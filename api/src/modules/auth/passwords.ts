import { AppError } from '@cellhop/contract/errors';
import { hash, verify } from '@node-rs/argon2';
import { takeTurns, type TurnsUse } from '../../turns.ts';

/** OWASP's parameters for Argon2id, the library's default algorithm. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Each takes 19 MiB and one of the process's four pool threads; the others stay free for files and names. */
const RUNNING_MAX = 3;
/** More than this would not be answered before the client gives up. */
const WAITING_MAX = 500;
/** Whoever wants more at once from one network is not waiting for it with patience. */
const WAITING_OF_ONE_MAX = 100;

const turns = takeTurns({ runningMax: RUNNING_MAX, waitingMax: WAITING_MAX, waitingOfOneMax: WAITING_OF_ONE_MAX });
let decoyHash: Promise<string> | undefined;

const ATTEMPTS_OF_ONE_MAX = RUNNING_MAX + WAITING_OF_ONE_MAX;
/** Attempts under way, by network. */
const attempts = new Map<string, number>();
let refusedAttempts = 0;

/** For the metrics. */
export function passwordHashesUse(): TurnsUse {
  const use = turns.use();
  return { ...use, refused: use.refused + refusedAttempts };
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
 * @param origin whose turn it takes: the client's network, or a device that is known
 * @throws AppError RATE_LIMITED or UNAVAILABLE when too many passwords wait
 */
export function hashPassword(password: string, origin: string): Promise<string> {
  return turns.take(() => hash(password, PARAMETERS), origin);
}

/**
 * @param passwordHash undefined for an unknown account, which takes as long as a wrong password
 * @param origin as above
 * @throws AppError RATE_LIMITED or UNAVAILABLE when too many passwords wait
 */
export async function verifyPassword(
  passwordHash: string | undefined,
  password: string,
  origin: string,
): Promise<boolean> {
  decoyHash ??= hash('nobody has this password', PARAMETERS);
  const compared = passwordHash ?? (await decoyHash);
  const isEqual = await turns.take(() => verify(compared, password), origin);
  return isEqual && passwordHash !== undefined;
}
