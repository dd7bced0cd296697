import { toLocalTime } from '../data/server-clock.ts';
import { type StoredValue, storedValue } from './stored-value.ts';
import { closeView, currentView } from './view.ts';

/** `accessTokenExpiredAt`: epoch milliseconds of the device's clock. */
export interface StoredTokens {
  accessToken: string;
  refreshToken: string;
  accessTokenExpiredAt: number;
}

/** The shape of the API's responses to sign-in and refresh. */
interface IssuedTokens {
  accessToken: string;
  refreshToken: string;
  expiredAccessTokenAt: number;
}

const stored = storedValue<StoredTokens>('tokens', isStoredTokens);
/**
 * The session that was signed out last. A tab that does not see the sign-out in its storage yet may store a refreshed
 * pair of that session afterwards: such a pair is ignored.
 */
const endedSession = storedValue<string>('endedSession', (value) => typeof value === 'string');
/** The pair that another tab has sent, until this tab can read it from the storage. */
let shared: { spent: string; next: StoredTokens } | undefined;
/** The newest pair that this tab has seen whose session had not ended. */
let lastValid: StoredTokens | undefined;

/** The token of a member of staff who sees the app as a user. It cannot be refreshed: the view ends when it expires. */
const viewPair = toViewPair();

export const tokens: StoredValue<StoredTokens> = {
  get() {
    if (viewPair !== undefined) return viewPair;
    const pair = readPair();
    return pair === undefined || isEnded(pair) ? undefined : pair;
  },
  set(value) {
    if (viewPair !== undefined) return closeView();
    const before = stored.get();
    lastValid = value;
    // Do not remove a pair that this tab cannot see: another tab may just have signed in.
    if (before === undefined && value === undefined) return;
    if (before !== undefined && (value === undefined || !isSameSession(before, value)))
      endedSession.set(toSessionId(before));
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

/** Stores the tokens of a new session. */
export function saveTokens(issued: IssuedTokens): StoredTokens {
  const pair = toStored(issued);
  tokens.set(pair);
  return pair;
}

/** Stores the next pair of the same session. Does not revive a session that another tab has ended or replaced. */
export function saveRefreshed(issued: IssuedTokens): StoredTokens {
  const pair = toStored(issued);
  stored.set(pair);
  return pair;
}

/** Signs out of this session. A newer session stays. */
export function endSession(pair: StoredTokens): void {
  const current = tokens.get();
  if (current !== undefined && isSameSession(current, pair)) tokens.set(undefined);
}

/**
 * Uses the pair that another tab has received for the spent one, while the storage of this tab still has the spent one.
 */
export function acceptSharedTokens(spent: string, next: StoredTokens): void {
  shared = { spent, next };
}

export function hasTokens(): boolean {
  return tokens.get() !== undefined;
}

/** Identifies the sign-in; undefined without tokens. All data of a user in this tab belongs to one session. */
export function currentSession(): string | undefined {
  const pair = tokens.get();
  return pair === undefined ? undefined : (toSessionId(pair) ?? '');
}

export function isStoredTokens(value: unknown): value is StoredTokens {
  if (typeof value !== 'object' || value === null) return false;
  const { accessToken, refreshToken, accessTokenExpiredAt } = value as Record<string, unknown>;
  return (
    typeof accessToken === 'string' && typeof refreshToken === 'string' && typeof accessTokenExpiredAt === 'number'
  );
}

/** The session id in the token. Only the server verifies the token. */
function toSessionId({ accessToken }: StoredTokens): string | undefined {
  try {
    const payload = accessToken.split('.')[1] ?? '';
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    const sessionId = (claims as { sid?: unknown } | null)?.sid;
    return typeof sessionId === 'string' ? sessionId : undefined;
  } catch {
    return undefined; // Not a token of this API; its next use will get a 401.
  }
}

function isSameSession(one: StoredTokens, other: StoredTokens): boolean {
  return toSessionId(one) === toSessionId(other);
}

function readPair(): StoredTokens | undefined {
  const pair = stored.get();
  return pair !== undefined && pair.refreshToken === shared?.spent ? shared.next : pair;
}

function isEnded(pair: StoredTokens): boolean {
  const ended = endedSession.get();
  return ended !== undefined && toSessionId(pair) === ended;
}

/** A late pair of an ended session may have overwritten the pair of the next session, which this tab remembers. */
function restoreOverwritten(): void {
  const pair = stored.get();
  if (pair === undefined) return;
  if (!isEnded(pair)) lastValid = pair;
  else if (lastValid !== undefined && !isEnded(lastValid)) stored.set(lastValid);
}

function toStored({ accessToken, refreshToken, expiredAccessTokenAt }: IssuedTokens): StoredTokens {
  return { accessToken, refreshToken, accessTokenExpiredAt: toLocalTime(expiredAccessTokenAt) };
}

function toViewPair(): StoredTokens | undefined {
  const view = currentView();
  return view && toStored({ ...view, refreshToken: '' });
}
