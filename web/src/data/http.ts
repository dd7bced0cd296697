import { ApiError, type CallOptions, createKeyedClient, type KeyedCall } from '@cellhop/contract/client';
import type { EndpointInput, EndpointKey, EndpointOutput, PublicEndpointKey } from '@cellhop/contract/endpoints';
import { freshAccessToken, endRefusedSession } from '../session/access-token.ts';
import { askServer } from './network.ts';
import { fetchWithClock } from './server-clock.ts';
import { currentSession, tokens } from '../session/tokens.ts';

const plainCall = createKeyedClient({ fetch: fetchWithClock });

/** The type makes the list complete: all other endpoints get the access token. */
const publicEndpoints: Record<PublicEndpointKey, true> = {
  'GET /v1/settings': true,
  'POST /v1/auth/sign-up': true,
  'POST /v1/auth/confirm-email/resend': true,
  'POST /v1/auth/confirm-email/sign-in': true,
  'POST /v1/auth/sign-in': true,
  'POST /v1/auth/refresh-tokens': true,
  'POST /v1/auth/recovery-password': true,
  'POST /v1/auth/recovery-password/{sessionId}/resend': true,
  'POST /v1/auth/recovery-password/set-password': true,
  'GET /v1/legal/{document}': true,
  'GET /v1/proxies/lowest-price': true,
  'GET /v1/proxies/stock': true,
  'POST /v1/browser-errors': true,
  'GET /v1/receipts/public-key': true,
  'GET /v1/rotate/{secret}': true,
};

/**
 * Calls the API. Any 401 signs the user out in all tabs: the guards watch the stored tokens.
 * @throws ApiError; with status 401 also if the session changed during the call, because the next user must not get the
 *   response
 */
export const call: KeyedCall = async (key, input, options = {}) => {
  if (Object.hasOwn(publicEndpoints, key)) return plainCall(key, input, options);
  const session = currentSession();
  let accessToken: string | undefined;
  try {
    accessToken = await freshAccessToken(plainCall);
    requireSession(session);
    const headers = { ...options.headers, authorization: `Bearer ${accessToken}` };
    const response = await plainCall(key, input, { ...options, headers });
    requireSession(session);
    return response;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) signOutUnlessReplaced(accessToken);
    throw error;
  }
};

type ResponseData<K extends EndpointKey> = EndpointOutput<K> extends { data: infer Data } ? Data : never;

/** As `call`, for responses of which only the data is used. */
export async function callForData<const K extends EndpointKey>(
  key: K,
  input: EndpointInput<K>,
  options?: CallOptions,
): Promise<ResponseData<K>> {
  const { data } = (await call(key, input, options)) as { data: ResponseData<K> };
  return data;
}

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
    if (error instanceof ApiError && error.status === 401) signOutUnlessReplaced(accessToken);
    // Some proxies refuse or end streams where other requests pass: a reason to ask the server, not an answer.
    else if (!(error instanceof ApiError) && init.signal?.aborted !== true) void askServer();
    throw error;
  }
}

function requireSession(session: string | undefined): void {
  if (currentSession() !== session) throw new ApiError(401, 'UNAUTHORIZED', 'The session has ended');
}

/** @param accessToken the refused token; undefined if none was sent */
function signOutUnlessReplaced(accessToken: string | undefined): void {
  // A late response to an older token must not end a session that another tab has opened or refreshed meanwhile.
  if (accessToken !== undefined && accessToken === tokens.get()?.accessToken) endRefusedSession();
}
