import { ApiError, type KeyedCall } from '@cellhop/contract/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freshAccessToken } from './access-token.ts';
import { saveTokens, tokens } from './tokens.ts';

const now = Date.UTC(2026, 10, 21);

function store(accessToken: string, livesMs: number) {
  saveTokens({ accessToken, refreshToken: `${accessToken}-refresh`, expiredAccessTokenAt: now + livesMs });
}

/** A server that responds to each refresh with a new pair, after one turn of the event loop. */
function refreshingServer() {
  const calls: unknown[] = [];
  const call = async (_definition: unknown, input: unknown) => {
    calls.push(input);
    await Promise.resolve();
    return { data: { accessToken: 'next', refreshToken: 'next-refresh', expiredAccessTokenAt: now + 900_000 } };
  };
  return { calls, call: call as unknown as KeyedCall };
}

function failingServer(status: number, code: ApiError['code'] = 'INTERNAL'): KeyedCall {
  return () => Promise.reject(new ApiError(status, code, 'refused'));
}

/** Each tab has its own modules; storage is shared. */
async function openTab() {
  vi.resetModules();
  return import('./access-token.ts');
}

function shareStorage() {
  const items = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => items.set(key, value),
    removeItem: (key: string) => items.delete(key),
  });
}

beforeEach(() => {
  vi.useFakeTimers({ now });
  // Without Web Locks; tabs.test.ts covers tabs with locks.
  vi.stubGlobal('navigator', {});
  tokens.set(undefined);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('freshAccessToken', () => {
  it('uses a stored token that lives longer than ten seconds', async () => {
    store('stored', 10_001);
    const { call, calls } = refreshingServer();
    expect(await freshAccessToken(call)).toBe('stored');
    expect(calls).toEqual([]);
  });

  it('rethrows ACCOUNT_BLOCKED and RATE_LIMITED, and keeps the tokens', async () => {
    store('old', 0);
    for (const [status, code] of [
      [403, 'ACCOUNT_BLOCKED'],
      [429, 'RATE_LIMITED'],
    ] as const)
      await expect(freshAccessToken(failingServer(status, code))).rejects.toMatchObject({ status, code });
    expect(tokens.get()?.accessToken).toBe('old');
  });

  it('refreshes a token that ends within ten seconds and stores the new pair', async () => {
    store('old', 10_000);
    const { call, calls } = refreshingServer();
    expect(await freshAccessToken(call)).toBe('next');
    expect(calls).toEqual([{ body: { accessToken: 'old', refreshToken: 'old-refresh' } }]);
    expect(tokens.get()).toEqual({
      accessToken: 'next',
      refreshToken: 'next-refresh',
      accessTokenExpiredAt: now + 900_000,
    });
  });

  it('refreshes once for calls that start together', async () => {
    store('old', 0);
    const { call, calls } = refreshingServer();
    const responses = await Promise.all([freshAccessToken(call), freshAccessToken(call), freshAccessToken(call)]);
    expect(responses).toEqual(['next', 'next', 'next']);
    expect(calls).toHaveLength(1);
  });

  it('does not sign in again after a sign-out during the refresh', async () => {
    store('old', 0);
    const { call } = refreshingServer();
    const response = freshAccessToken(call);
    tokens.set(undefined);
    await expect(response).rejects.toMatchObject({ status: 401, message: 'Tokens not found' });
    expect(tokens.get()).toBeUndefined();
  });

  it('keeps a session that was opened during a refresh of the previous one', async () => {
    store('old', 0);
    const response = freshAccessToken(refreshingServer().call);
    store('somebody-else', 900_000);
    expect(await response).toBe('somebody-else');
    expect(tokens.get()?.accessToken).toBe('somebody-else');
  });

  it('uses the pair of another tab when the server refuses the previous one', async () => {
    store('old', 0);
    const refused: KeyedCall = () => {
      store('other-tab', 900_000);
      return Promise.reject(new ApiError(400, 'REFRESH_REJECTED', 'Refresh tokens bad request'));
    };
    expect(await freshAccessToken(refused)).toBe('other-tab');
  });

  it('fails with 401 when there are no tokens', async () => {
    const { call } = refreshingServer();
    await expect(freshAccessToken(call)).rejects.toMatchObject({ status: 401, message: 'Tokens not found' });
  });

  it('turns a refused refresh into 401', async () => {
    store('old', 0);
    await expect(freshAccessToken(failingServer(400))).rejects.toMatchObject({
      status: 401,
      message: 'Refresh tokens bad request',
    });
  });

  it('rethrows other failures of a refresh, and tries again at the next call', async () => {
    store('old', 0);
    await expect(freshAccessToken(failingServer(503))).rejects.toMatchObject({ status: 503 });
    await expect(freshAccessToken(failingServer(0))).rejects.toMatchObject({ status: 0 });
    expect(await freshAccessToken(refreshingServer().call)).toBe('next');
  });
});

describe('two tabs', () => {
  afterEach(() => {
    vi.resetModules();
  });

  it('send the same pair without locks, and get the same response', async () => {
    shareStorage();
    store('old', 0);
    const { call, calls } = refreshingServer();
    const [first, second] = [await openTab(), await openTab()];
    expect(await Promise.all([first.freshAccessToken(call), second.freshAccessToken(call)])).toEqual(['next', 'next']);
    const pair = { body: { accessToken: 'old', refreshToken: 'old-refresh' } };
    expect(calls).toEqual([pair, pair]);
  });
});
