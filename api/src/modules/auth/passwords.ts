import { hash, verify } from '@node-rs/argon2';
import { takeTurns } from '../../turns.ts';

/** OWASP's parameters for Argon2id, the library's default algorithm. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Each takes 19 MiB and one of the process's four pool threads; the others stay free for files and names. */
const RUNNING_MAX = 3;
/** More than this would not be answered before the client gives up. */
const WAITING_MAX = 500;

const inTurn = takeTurns({ runningMax: RUNNING_MAX, waitingMax: WAITING_MAX });
let decoyHash: Promise<string> | undefined;

/** @throws AppError UNAVAILABLE when too many passwords wait */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password, PARAMETERS));
}

/**
 * @param passwordHash undefined for an unknown account, which takes as long as a wrong password
 * @throws AppError UNAVAILABLE when too many passwords wait
 */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  decoyHash ??= hash('nobody has this password', PARAMETERS);
  const compared = passwordHash ?? (await decoyHash);
  const isEqual = await inTurn(() => verify(compared, password));
  return isEqual && passwordHash !== undefined;
}
