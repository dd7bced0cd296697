import { ApiError, type KeyedCall } from '@cellhop/contract/client';
import { REFRESH_MARGIN_MS } from '@cellhop/contract/limits';
import i18next from 'i18next';
import { showToast } from '../ui/toasts.ts';
import { acquireRefreshLock } from './refresh-lock.ts';
import { saveRefreshed, type StoredTokens, tokens } from './tokens.ts';

let refreshing: Promise<StoredTokens> | undefined;

/**
 * An access token that is valid for the next call.
 * @throws ApiError 401 when there are no tokens or the server rejects them, which signs out; other failures of a
 *   refresh are rethrown
 */
export async function freshAccessToken(call: KeyedCall): Promise<string> {
  const stored = requireTokens();
  if (!isExpiring(stored)) return stored.accessToken;
  refreshing ??= refreshAcrossTabs(call).finally(() => {
    refreshing = undefined;
  });
  return (await refreshing).accessToken;
}

async function refreshAcrossTabs(call: KeyedCall): Promise<StoredTokens> {
  const stored = requireTokens();
  if (!isExpiring(stored)) return stored;
  // Web Locks exist in secure contexts only. Without them the server's tolerance for a repeated pair is enough.
  const locks = (globalThis.navigator as Partial<Navigator> | undefined)?.locks;
  if (locks === undefined) return refresh(call, stored);
  const lock = await acquireRefreshLock(locks, stored);
  if (lock === undefined) return refreshAcrossTabs(call);
  try {
    // This tab may see only now what was stored while it waited.
    const next = isStillStored(stored) ? await refresh(call, stored) : requireTokens();
    lock.shareAndRelease(next);
    return next;
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function refresh(call: KeyedCall, stored: StoredTokens): Promise<StoredTokens> {
  const { accessToken, refreshToken } = stored;
  try {
    const { data } = await call('POST /v1/auth/refresh-tokens', { body: { accessToken, refreshToken } });
    // A user who signed out meanwhile stays signed out; a new sign-in keeps its session.
    return isStillStored(stored) ? saveRefreshed(data) : requireTokens();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status < 400 || error.status >= 500) throw error;
    // Without a lock another tab may have used the same pair first; the pair that it stored is valid.
    if (!isStillStored(stored)) return requireTokens();
    // The tokens stay valid, so they are kept, and the page can show the reason.
    if (error.code === 'ACCOUNT_BLOCKED' || error.status === 429) throw error;
    endRefusedSession();
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

/** Called when the server refuses the session of a signed-in user: signs out in all tabs, and shows the reason. */
export function endRefusedSession(): void {
  tokens.set(undefined);
  // After the change, which removes the toasts of the session.
  showToast('warning', i18next.t('errors.UNAUTHORIZED'));
}
