import { toLocalTime } from './server-clock.ts';
import { type StoredValue, storedValue } from './stored-value.ts';

/** `accessTokenExpiredAt`: epoch milliseconds of this device's clock. */
export interface StoredTokens {
  accessToken: string;
  refreshToken: string;
  accessTokenExpiredAt: number;
}

/** The shape of the API's answers to sign-in and refresh. */
interface IssuedTokens {
  accessToken: string;
  refreshToken: string;
  expiredAccessTokenAt: number;
}

const stored = storedValue<StoredTokens>('tokens', isStoredTokens);
/**
 * The session that was signed out last. A tab whose view of the storage lags may store a refreshed pair of it after the
 * sign-out: such a pair counts for nothing.
 */
const endedSession = storedValue<string>('endedSession', (value) => typeof value === 'string');
/** The pair that another tab has posted, until this tab can read it from the storage. */
let posted: { spent: string; next: StoredTokens } | undefined;
/** The newest pair of a session that was not over when this tab looked. */
let lastValid: StoredTokens | undefined;

export const tokens: StoredValue<StoredTokens> = {
  get() {
    const pair = readPair();
    return pair === undefined || isOver(pair) ? undefined : pair;
  },
  set(value) {
    const before = stored.get();
    lastValid = value;
    // What this tab cannot see it does not remove: another tab may have signed in a moment ago.
    if (before === undefined && value === undefined) return;
    if (before !== undefined && (value === undefined || !isSameSession(before, value)))
      endedSession.set(sessionOf(before));
    stored.set(value);
  },
  subscribe(listener) {
    const onChange = () => {
      restoreOverwritten();
      listener();
    };
    const unsubscribes = [stored.subscribe(onChange), endedSession.subscribe(onChange)];
    return () => unsubscribes.forEach((unsubscribe) => unsubscribe());
  },
};

/** Of a session that has just been opened. */
export function saveTokens(issued: IssuedTokens): StoredTokens {
  const pair = toStored(issued);
  tokens.set(pair);
  return pair;
}

/** The next pair of the same session. A session that another tab has ended or replaced meanwhile stays so. */
export function saveRefreshed(issued: IssuedTokens): StoredTokens {
  const pair = toStored(issued);
  stored.set(pair);
  return pair;
}

/** Signs out of this session. Another one that has been opened meanwhile goes on. */
export function endSession(pair: StoredTokens): void {
  const current = tokens.get();
  if (current !== undefined && isSameSession(current, pair)) tokens.set(undefined);
}

/** Uses the pair that another tab has got for the spent one, as long as the storage still shows the spent one here. */
export function usePosted(spent: string, next: StoredTokens): void {
  posted = { spent, next };
}

export function hasTokens(): boolean {
  return tokens.get() !== undefined;
}

export function isStoredTokens(value: unknown): value is StoredTokens {
  if (typeof value !== 'object' || value === null) return false;
  const { accessToken, refreshToken, accessTokenExpiredAt } = value as Record<string, unknown>;
  return (
    typeof accessToken === 'string' && typeof refreshToken === 'string' && typeof accessTokenExpiredAt === 'number'
  );
}

/** The server alone checks the token; here its session id tells one sign-in from another. */
function sessionOf({ accessToken }: StoredTokens): string | undefined {
  try {
    const payload = accessToken.split('.')[1] ?? '';
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    const sessionId = (claims as { sid?: unknown } | null)?.sid;
    return typeof sessionId === 'string' ? sessionId : undefined;
  } catch {
    return undefined; // Not a token of this API; its next use ends in a 401.
  }
}

function isSameSession(one: StoredTokens, other: StoredTokens): boolean {
  return sessionOf(one) === sessionOf(other);
}

function readPair(): StoredTokens | undefined {
  const pair = stored.get();
  return pair !== undefined && pair.refreshToken === posted?.spent ? posted.next : pair;
}

function isOver(pair: StoredTokens): boolean {
  const ended = endedSession.get();
  return ended !== undefined && sessionOf(pair) === ended;
}

/** A late pair of an ended session may have overwritten the pair of the session after it, which this tab knows. */
function restoreOverwritten(): void {
  const pair = stored.get();
  if (pair === undefined) return;
  if (!isOver(pair)) lastValid = pair;
  else if (lastValid !== undefined && !isOver(lastValid)) stored.set(lastValid);
}

function toStored({ accessToken, refreshToken, expiredAccessTokenAt }: IssuedTokens): StoredTokens {
  return { accessToken, refreshToken, accessTokenExpiredAt: toLocalTime(expiredAccessTokenAt) };
}
