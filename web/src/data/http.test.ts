import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { authorizedFetch, call } from './http.ts';
import { isOnline, watchNetwork } from './network.ts';
import { saveTokens, tokens } from '../session/tokens.ts';

const requests: Request[] = [];

/** An API that returns one status for every call. */
function respondWith(status: number, code: string, meanwhile: () => void = () => undefined) {
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    requests.push(new Request(`http://api.test${url}`, init));
    meanwhile();
    return Promise.resolve(Response.json({ statusCode: status, error: 'x', code, message: code }, { status }));
  });
}

function store(accessToken: string) {
  saveTokens({ accessToken, refreshToken: 'refresh', expiredAccessTokenAt: Date.now() + 900_000 });
}

beforeEach(() => {
  requests.length = 0;
  store('mine');
});
afterEach(async () => {
  vi.unstubAllGlobals();
  tokens.set(undefined);
  // Other test files share the state.
  await watchNetwork(Promise.resolve());
});

it('sends the token with calls that need one, and with no others', async () => {
  respondWith(500, 'INTERNAL');
  await expect(call('GET /v1/profile', {})).rejects.toMatchObject({ status: 500 });
  await expect(call('POST /v1/auth/sign-in', { body: { email: 'a@b.co', password: 'x' } })).rejects.toMatchObject({
    status: 500,
  });
  expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer mine', null]);
});

it('signs out at a 401', async () => {
  respondWith(401, 'UNAUTHORIZED');
  await expect(call('GET /v1/profile', {})).rejects.toMatchObject({ status: 401 });
  expect(tokens.get()).toBeUndefined();
});

it('stays signed in at any other failure', async () => {
  respondWith(403, 'FORBIDDEN');
  await expect(call('GET /v1/profile', {})).rejects.toMatchObject({ status: 403 });
  expect(tokens.get()?.accessToken).toBe('mine');
});

it('keeps a session that was opened before the 401 of the previous one arrived', async () => {
  respondWith(401, 'UNAUTHORIZED', () => store('newer'));
  await expect(call('GET /v1/profile', {})).rejects.toMatchObject({ status: 401 });
  expect(tokens.get()?.accessToken).toBe('newer');
});

it('sends nothing without tokens', async () => {
  tokens.set(undefined);
  respondWith(200, 'never');
  await expect(call('GET /v1/profile', {})).rejects.toMatchObject({ status: 401, message: 'Tokens not found' });
  expect(requests).toEqual([]);
});

it.each([
  ['means nothing while other requests pass', true],
  ['is noticed as a lost network if no request passes', false],
])('a stream that fails %s', async (_, isReached) => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(url);
    return url !== '/v1/events' && isReached
      ? Promise.resolve(Response.json({ data: {} }))
      : Promise.reject(new TypeError('Failed to fetch'));
  });
  await expect(authorizedFetch('/v1/events', {})).rejects.toThrow('Failed to fetch');
  await vi.waitFor(() => expect(asked).toEqual(['/v1/events', '/v1/settings']));
  await vi.waitFor(() => expect(isOnline()).toBe(isReached));
});
