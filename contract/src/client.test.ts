import { describe, expect, test } from 'vitest';
import { createClient, toPath, toQuery } from './client.ts';
import { disconnect, listConnections } from './connections.ts';
import { searchProxies } from './proxies.ts';
import { exportTransactions } from './transactions.ts';

/** A fetch that records its requests and always returns the same response. */
function fakeApi(status: number, body: string) {
  const requests: Request[] = [];
  const call = createClient({
    baseUrl: 'http://api.test',
    fetch: async (input, init) => {
      requests.push(new Request(input, init));
      return new Response(body, { status });
    },
    headers: () => ({ authorization: 'Bearer t' }),
  });
  return { call, requests };
}

/** Never resolves; rejects when the signal aborts. */
function untilAborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as DOMException));
  });
}

describe('createClient', () => {
  test('fills the path, repeats keys of lists and sends no empty body', async () => {
    const { call, requests } = fakeApi(200, '{"data":[]}');
    await call(searchProxies, { query: { city: ['a', 'b & c'], zip: undefined } });
    expect(requests[0]?.url).toBe('http://api.test/v1/proxies?city=a&city=b+%26+c');
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer t');
    expect(requests[0]?.headers.get('content-type')).toBeNull();
  });

  test('returns a file as text', async () => {
    const headers = { 'content-disposition': 'attachment; filename="rows.csv"' };
    const call = createClient({ fetch: async () => new Response('id\r\n1\r\n', { headers }) });
    expect(await call(exportTransactions, { query: {} })).toBe('id\r\n1\r\n');
  });

  test('a call can override the timeout', async () => {
    const silent = createClient({ timeoutMs: 60_000, fetch: (_, init) => untilAborted(init?.signal) });
    const call = silent(exportTransactions, { query: {} }, { timeoutMs: 20 });
    await expect(call).rejects.toMatchObject({ code: 'TIMEOUT' });
  });

  test('a timeout ends with the response', async () => {
    const signals: AbortSignal[] = [];
    const call = createClient({
      timeoutMs: 20,
      fetch: (_, { signal }) => {
        signals.push(signal);
        return signals.length === 1 ? Promise.resolve(Response.json({ data: [] })) : untilAborted(signal);
      },
    });
    await call(listConnections, { query: {} });
    await expect(call(listConnections, { query: {} })).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  });

  test('maps an error response to its code', async () => {
    const body = { statusCode: 409, error: 'Conflict', code: 'NOT_CONNECTED', message: 'Connection is not active' };
    const { call } = fakeApi(409, JSON.stringify(body));
    const params = { id: '4e1f0f4e-7c0e-4b0e-9d0e-0123456789ab' };
    await expect(call(disconnect, { params })).rejects.toMatchObject({ status: 409, code: 'NOT_CONNECTED', body });
  });

  test('reads Retry-After in seconds and ignores other forms', async () => {
    const body = { statusCode: 429, error: 'Too Many Requests', code: 'RATE_LIMITED', message: 'Too many requests' };
    const respondingWith = (headers: Record<string, string>) =>
      createClient({ fetch: () => Promise.resolve(Response.json(body, { status: 429, headers })) });
    const refused = respondingWith({ 'retry-after': '840' })(listConnections, { query: {} });
    await expect(refused).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 840 });
    const vague = respondingWith({ 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' })(listConnections, { query: {} });
    await expect(vague).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: undefined });
  });

  test('keeps a code that only a newer API knows', async () => {
    const body = { statusCode: 409, error: 'Conflict', code: 'NOT_YET_KNOWN', message: 'Refused' };
    await expect(fakeApi(409, JSON.stringify(body)).call(listConnections, { query: {} })).rejects.toMatchObject({
      status: 409,
      code: 'NOT_YET_KNOWN',
    });
  });

  test('a foreign response is INTERNAL, no response is NETWORK', async () => {
    await expect(fakeApi(502, '<html>').call(listConnections, { query: {} })).rejects.toMatchObject({
      status: 502,
      code: 'INTERNAL',
    });
    const away = createClient({ fetch: () => Promise.reject(new TypeError('fetch failed')) });
    await expect(away(listConnections, { query: {} })).rejects.toMatchObject({ status: 0, code: 'NETWORK' });
  });

  test('a late response is TIMEOUT, and so is a response that stalls', async () => {
    const silent = createClient({ timeoutMs: 20, fetch: (_, init) => untilAborted(init?.signal) });
    await expect(silent(listConnections, { query: {} })).rejects.toMatchObject({ status: 0, code: 'TIMEOUT' });
    const stuck = createClient({
      timeoutMs: 20,
      fetch: async (_, init) => Object.assign(new Response('{"data":'), { text: () => untilAborted(init?.signal) }),
    });
    await expect(stuck(listConnections, { query: {} })).rejects.toMatchObject({ status: 0, code: 'TIMEOUT' });
  });

  test('an aborted call is not a TIMEOUT', async () => {
    const call = createClient({
      fetch: (_, init) => Promise.reject(init?.signal?.reason as DOMException),
    });
    const signal = AbortSignal.abort();
    await expect(call(listConnections, { query: {} }, { signal })).rejects.toMatchObject({ code: 'NETWORK' });
  });
});

test('toPath escapes, toQuery omits undefined values', () => {
  expect(toPath('/a/{id}/b', { id: 'x/y' })).toBe('/a/x%2Fy/b');
  expect(toQuery({ a: undefined, b: 0 })).toBe('?b=0');
  expect(toQuery()).toBe('');
});
