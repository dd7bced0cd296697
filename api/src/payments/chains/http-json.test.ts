import { expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { startFakeNode } from '../../../test/chains/test-node.ts';
import { speakHttpJson } from './http-json.ts';
import { createHttpTransport } from './http-transport.ts';
import { speakJsonRpc } from './json-rpc.ts';

const signal = new AbortController().signal;
const anything = z.unknown();

/** A source that sends the same response to all requests. */
async function openSource(status: number, body: string, headers: Record<string, string> = {}) {
  const source = await startFakeNode({});
  const requests: string[] = [];
  source.respond = (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => response.writeHead(status, headers).end(body));
  };
  const transport = createHttpTransport({ url: `${source.url}/key-of-the-path#X-API-Key=key-of-the-header` });
  return { transport, json: speakHttpJson(transport), rpc: speakJsonRpc(transport), requests };
}

it('calls paths below that of the URL, with queries and bodies', async () => {
  const { json, requests } = await openSource(200, '{"last":1}');
  const schema = z.object({ last: z.number() });
  expect(await json.post('/wallet/getblock', { detail: false }, schema, signal)).toEqual({ last: 1 });
  await json.get('/transactions', { account: ['0:a', '0:b'], limit: 10 }, schema, signal);
  expect(requests).toEqual([
    'POST /key-of-the-path/wallet/getblock',
    'GET /key-of-the-path/transactions?account=0%3Aa&account=0%3Ab&limit=10',
  ]);
});

// Bodies as java-tron, TronGrid, toncenter and proxies send them.
it.each([
  ['THROTTLED', 200, '{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}'],
  ['THROTTLED', 403, '{"Error":"The key exceeds the frequency limit(15), and the query server is suspended for 30s"}'],
  ['THROTTLED', 429, 'The key exceeds the frequency limit(15), and the query server is suspended for 30s'],
  ['THROTTLED', 429, '{"ok":false,"result":"Ratelimit exceed","code":429}'],
  ['THROTTLED', 200, '{"ok":false,"result":"Ratelimit exceed","code":429}'],
  ['THROTTLED', 400, '{"error":"Monthly capacity limit exceeded"}'],
  ['PRUNED', 200, 'this API is closed because this node is a lite fullnode'],
  ['INVALID_RESPONSE', 200, 'this API is unavailable due to config'],
  ['INVALID_RESPONSE', 404, '<html><head><title>404 Not Found</title></head></html>'],
  ['INVALID_RESPONSE', 403, '<html><head><title>403 Forbidden</title></head></html>'],
  ['INVALID_RESPONSE', 200, '<html>welcome</html>'],
  ['DOWN', 502, '<html><head><title>502 Bad Gateway</title></head></html>'],
  ['DOWN', 503, '{"error":"no backend"}'],
  ['DOWN', 200, ''],
])('is %s by HTTP %d %s', async (reason, status, body) => {
  const { json, transport } = await openSource(status, body);
  await expect(json.post('/wallet/getblock', {}, anything, signal)).rejects.toMatchObject({ reason });
  expect(transport.failedAtMs).toBeGreaterThan(0);
});

it.each([
  [413, '<html>', 413],
  [414, '<html>', 414],
  [431, '', 431],
  [400, '{"error":"Too many accounts"}', 400],
  [422, '{"error":"account is required","code":422}', 422],
  [200, '{"Error":"class org.tron.core.exception.BadItemException : no such block"}', 200],
  [200, '{"ok":false,"error":"LITE_SERVER_NOTREADY: lt not in db","code":500}', 500],
])('leaves it to the caller what a refusal means: HTTP %d %s', async (status, body, code) => {
  const { json, transport } = await openSource(status, body);
  await expect(json.get('/transactions', {}, anything, signal)).rejects.toMatchObject({ name: 'SourceRefusal', code });
  expect(transport.failedAtMs).toBe(0);
});

it('reads the refusals of java-tron in JSON-RPC, too', async () => {
  const throttling = await openSource(
    200,
    '{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}',
  );
  await expect(throttling.rpc.call('eth_getLogs', [], anything, signal)).rejects.toMatchObject({ reason: 'THROTTLED' });
  const closed = await openSource(200, 'this API is closed because this node is a lite fullnode');
  await expect(closed.rpc.call('eth_getLogs', [], anything, signal)).rejects.toMatchObject({ reason: 'PRUNED' });
});

it('pauses all calls to a source that throttles, for longer each time, until it responds', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { json, requests } = await openSource(200, '{"Error":"lack of computing resources"}');
  const call = () => json.post('/wallet/getblock', {}, anything, signal).catch(() => undefined);
  const callsWithin = async (seconds: number) => {
    const before = requests.length;
    for (let second = 0; second < seconds; second++) {
      await call();
      vi.advanceTimersByTime(1000);
    }
    return requests.length - before;
  };
  expect(await callsWithin(30)).toBe(1);
  expect(await callsWithin(60)).toBe(1);
  expect(await callsWithin(120)).toBe(1);
});

it('repeats no key that the source repeats', async () => {
  const { json } = await openSource(400, '{"error":"key-of-the-header and key-of-the-path are unknown"}');
  await expect(json.get('/transactions', {}, anything, signal)).rejects.toThrow('/transactions: … and … are unknown');
});
