import { ApiError, type Call, createClient } from '@cellhop/contract/client';
import type { Access } from '@cellhop/contract/endpoint';
import { freshAccessToken } from '../session/access-token.ts';
import { fetchWithClock } from './server-clock.ts';
import { endRefusedSession } from '../session/session-end.ts';
import { currentSession, tokens } from '../session/tokens.ts';

const plainCall = createClient({ fetch: fetchWithClock });

/**
 * Calls the API. Any 401 signs the user out in all tabs: the guards watch the stored tokens.
 * @throws ApiError; with status 401 also if the session changed during the call, because the next user must not get the
 *   response
 */
export const call: Call = async (definition, input, options = {}) => {
  if (!needsToken(definition.access)) return plainCall(definition, input, options);
  const session = currentSession();
  let accessToken: string | undefined;
  try {
    accessToken = await freshAccessToken(plainCall);
    requireSession(session);
    const headers = { ...options.headers, authorization: `Bearer ${accessToken}` };
    const response = await plainCall(definition, input, { ...options, headers });
    requireSession(session);
    return response;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) signOutOf(accessToken);
    throw error;
  }
};

/**
 * For responses that the typed client cannot read, such as streams. Has no timeout; the caller sets one.
 * @throws ApiError for every status outside 2xx; any 401 signs the user out
 */
export async function authorizedFetch(url: string, init: RequestInit): Promise<Response> {
  let accessToken: string | undefined;
  try {
    accessToken = await freshAccessToken(plainCall);
    const response = await fetch(url, { ...init, headers: { authorization: `Bearer ${accessToken}` } });
    if (!response.ok) throw new ApiError(response.status, 'INTERNAL', `HTTP ${response.status}`);
    return response;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) signOutOf(accessToken);
    throw error;
  }
}

function requireSession(session: string | undefined): void {
  if (currentSession() !== session) throw new ApiError(401, 'UNAUTHORIZED', 'The session has ended');
}

/** @param accessToken the refused token; undefined if none was sent */
function signOutOf(accessToken: string | undefined): void {
  // A late response to an older token must not end a session that another tab has opened or refreshed meanwhile.
  if (accessToken !== undefined && accessToken === tokens.get()?.accessToken) endRefusedSession();
}

function needsToken(access: Access): boolean {
  return access !== 'public' && access !== 'development';
}
