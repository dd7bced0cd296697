import { ApiError, type Call, createClient } from '@cellhop/contract/client';
import type { Access } from '@cellhop/contract/endpoint';
import { freshAccessToken } from './access-token.ts';
import { tokens } from './tokens.ts';

const publicCall = createClient();

const authorizedCall = createClient({
  headers: async ({ access }): Promise<Record<string, string>> =>
    needsToken(access) ? { authorization: `Bearer ${await freshAccessToken(publicCall)}` } : {},
});

/** Calls the API. Any 401 signs the user out: the guards watch the stored tokens. */
export const call: Call = async (definition, input, options) => {
  try {
    return await authorizedCall(definition, input, options);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) tokens.set(undefined);
    throw error;
  }
};

/**
 * For answers that the typed client cannot read, such as streams. There is no time limit but the caller's.
 * @throws ApiError for every answer outside 2xx; any 401 signs the user out
 */
export async function authorizedFetch(url: string, init: RequestInit): Promise<Response> {
  try {
    const headers = { authorization: `Bearer ${await freshAccessToken(publicCall)}` };
    const response = await fetch(url, { ...init, headers });
    if (!response.ok) throw new ApiError(response.status, 'INTERNAL', `HTTP ${response.status}`);
    return response;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) tokens.set(undefined);
    throw error;
  }
}

function needsToken(access: Access): boolean {
  return access !== 'public' && access !== 'development';
}
