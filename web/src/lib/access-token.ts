import { ApiError, type Call } from '@cellhop/contract/client';
import { refreshTokens } from '@cellhop/contract/auth.plain';
import { REFRESH_MARGIN_MS } from '@cellhop/contract/limits';
import { waitForTurn } from './refresh-turn.ts';
import { saveRefreshed, type StoredTokens, tokens } from './tokens.ts';

let refreshing: Promise<StoredTokens> | undefined;

/**
 * An access token that is good for the next call.
 * @throws ApiError 401 when there are no tokens or the server rejects them, which signs out; other failures of a refresh
 *   pass on
 */
export async function freshAccessToken(call: Call): Promise<string> {
  const stored = requireTokens();
  if (!isExpiring(stored)) return stored.accessToken;
  refreshing ??= refreshAcrossTabs(call).finally(() => {
    refreshing = undefined;
  });
  return (await refreshing).accessToken;
}

async function refreshAcrossTabs(call: Call): Promise<StoredTokens> {
  const stored = requireTokens();
  if (!isExpiring(stored)) return stored;
  // Web Locks exist in secure contexts only; without them the server's tolerance for a repeated pair has to do.
  const locks = (globalThis.navigator as Partial<Navigator> | undefined)?.locks;
  if (locks === undefined) return refresh(call, stored);
  const turn = await waitForTurn(locks, stored);
  if (turn === undefined) return refreshAcrossTabs(call);
  try {
    // What was stored while this tab waited may have been seen only now.
    const next = isStillStored(stored) ? await refresh(call, stored) : requireTokens();
    turn.succeed(next);
    return next;
  } catch (error) {
    turn.giveUp();
    throw error;
  }
}

async function refresh(call: Call, stored: StoredTokens): Promise<StoredTokens> {
  const { accessToken, refreshToken } = stored;
  try {
    const { data } = await call(refreshTokens, { body: { accessToken, refreshToken } });
    // Who signed out meanwhile stays signed out, and who signed in anew keeps the new session.
    return isStillStored(stored) ? saveRefreshed(data) : requireTokens();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status < 400 || error.status >= 500) throw error;
    // Without a lock another tab may have been quicker with the same pair; what it stored is good.
    if (!isStillStored(stored)) return requireTokens();
    // The pair is good, but not now: the tokens stay, and the page can say why.
    if (error.code === 'ACCOUNT_BLOCKED' || error.status === 429) throw error;
    tokens.set(undefined);
    throw new ApiError(401, 'UNAUTHORIZED', 'Refresh tokens bad request');
  }
}

function requireTokens(): StoredTokens {
  const stored = tokens.get();
  if (stored === undefined) throw new ApiError(401, 'UNAUTHORIZED', 'Tokens not found');
  return stored;
}

function isExpiring({ accessTokenExpiredAt }: StoredTokens): boolean {
  return accessTokenExpiredAt - Date.now() <= REFRESH_MARGIN_MS;
}

function isStillStored({ refreshToken }: StoredTokens): boolean {
  return tokens.get()?.refreshToken === refreshToken;
}
