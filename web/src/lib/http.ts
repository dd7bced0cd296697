import { ApiError, type Call, createClient } from '@cellhop/contract/client';
import type { Access } from '@cellhop/contract/endpoint';
import { freshAccessToken } from './access-token.ts';
import { fetchWithClock } from './server-clock.ts';
import { tokens } from './tokens.ts';

const plainCall = createClient({ fetch: fetchWithClock });

/** Calls the API. A 401 anywhere signs the user out in all tabs: the guards watch the stored tokens. */
export const call: Call = async (definition, input, options = {}) => {
  let accessToken: string | undefined;
  try {
    if (!needsToken(definition.access)) return await plainCall(definition, input, options);
    accessToken = await freshAccessToken(plainCall);
    const headers = { ...options.headers, authorization: `Bearer ${accessToken}` };
    return await plainCall(definition, input, { ...options, headers });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) signOutOf(accessToken);
    throw error;
  }
};

/**
 * For answers that the typed client cannot read, such as streams. There is no time limit but the caller's.
 * @throws ApiError for every answer outside 2xx; any 401 signs the user out
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

/** @param accessToken what the server refused; undefined when there was nothing to send */
function signOutOf(accessToken: string | undefined): void {
  // A late answer to a token of before must not end the session that another tab has opened or refreshed meanwhile.
  if (accessToken !== undefined && accessToken === tokens.get()?.accessToken) tokens.set(undefined);
}

function needsToken(access: Access): boolean {
  return access !== 'public' && access !== 'development';
}
