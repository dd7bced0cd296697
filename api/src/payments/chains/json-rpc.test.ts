import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Refusal } from '../../../test/chains/fake-node.ts';
import { startFakeNode } from '../../../test/chains/test-node.ts';
import { createJsonRpc } from './json-rpc.ts';
import { PATIENT_MS } from '../../../test/chains/patience.ts';

const neverAborted = new AbortController().signal;
const text = z.string();

async function openNode(options: Partial<Parameters<typeof createJsonRpc>[0]> = {}) {
  const node = await startFakeNode({ ping: () => 'pong', number: () => 1 });
  const rpc = createJsonRpc({ url: node.url, timeoutMs: PATIENT_MS, ...options });
  return { node, rpc, ping: (signal = neverAborted) => rpc.call('ping', [], text, signal) };
}

describe('JSON-RPC', () => {
  it('returns the parsed result', async () => {
    const { ping } = await openNode();
    expect(await ping()).toBe('pong');
  });

  it.each([403, 429])('stops calling a node that throttles with HTTP %d, for the requested time', async (status) => {
    const { node, ping } = await openNode();
    let requests = 0;
    node.respond = (_request, response) => {
      requests += 1;
      response.writeHead(status, { 'retry-after': '60' }).end();
    };
    await expect(ping()).rejects.toMatchObject({ reason: 'THROTTLED' });
    await expect(ping()).rejects.toMatchObject({ reason: 'THROTTLED' });
    expect(requests).toBe(1);
  });

  it('calls again when the pause has passed', async () => {
    const { node, ping } = await openNode();
    node.respond = (_request, response) => response.writeHead(429, { 'retry-after': new Date(0).toUTCString() }).end();
    await expect(ping()).rejects.toMatchObject({ reason: 'THROTTLED' });
    node.respond = undefined;
    expect(await ping()).toBe('pong');
  });

  it.each([
    ['the address is not admitted, as bitcoind responds', 403, ''],
    ['the password is wrong', 401, ''],
    ['a page of a firewall', 403, '<html><title>Access denied</title></html>'],
  ])('does not wait for a node that refuses access: %s', async (_name, status, body) => {
    const { node, ping } = await openNode();
    node.respond = (_request, response) => response.writeHead(status).end(body);
    await expect(ping()).rejects.toMatchObject({
      reason: 'INVALID_RESPONSE',
      message: expect.stringMatching(/refuses access/) as string,
    });
    node.respond = undefined;
    expect(await ping()).toBe('pong');
  });

  it('recognises a quota that is reported as an error of the call', async () => {
    const node = await startFakeNode({
      ping: () => {
        throw new Refusal(-32005, 'daily request count exceeded, request rate limited');
      },
    });
    const rpc = createJsonRpc({ url: node.url });
    await expect(rpc.call('ping', [], text, neverAborted)).rejects.toMatchObject({ reason: 'THROTTLED' });
  });

  it.each([
    ["You've exceeded the RPS limit available on the current plan."],
    ['project ID request rate exceeded'],
    ['Your limit is reached'],
  ])('recognises a quota of status 200: %s', async (message) => {
    const node = await startFakeNode({
      ping: () => {
        throw new Refusal(-32005, message);
      },
    });
    const rpc = createJsonRpc({ url: node.url });
    await expect(rpc.call('ping', [], text, neverAborted)).rejects.toMatchObject({ reason: 'THROTTLED' });
  });

  it('times out if a node accepts the connection and stays silent', async () => {
    const { node, ping } = await openNode({ timeoutMs: 100 });
    node.respond = () => undefined;
    await expect(ping()).rejects.toMatchObject({
      reason: 'DOWN',
      message: expect.stringContaining('100 ms') as string,
    });
  });

  it('times out if a response never ends', async () => {
    const { node, ping } = await openNode({ timeoutMs: 200 });
    node.respond = (_request, response) => void response.writeHead(200).write('{"result":');
    await expect(ping()).rejects.toMatchObject({ reason: 'DOWN' });
  });

  it('stops reading a response that is too large', async () => {
    const { node, ping } = await openNode({ responseBytesMax: 1000 });
    let isClosed = false;
    node.respond = (_request, response) => {
      response.once('close', () => (isClosed = true));
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        response.once('drain', write);
      };
      write();
    };
    await expect(ping()).rejects.toMatchObject({ reason: 'INVALID_RESPONSE' });
    await expect.poll(() => isClosed).toBe(true);
  });

  it.each([
    ['no JSON', 200, 'hello', 'INVALID_RESPONSE'],
    ['a page of a proxy', 502, '<html>', 'DOWN'],
    ['no JSON-RPC', 200, '"result"', 'INVALID_RESPONSE'],
  ])('refuses %s', async (_name, status, body, reason) => {
    const { node, ping } = await openNode();
    node.respond = (_request, response) => response.writeHead(status).end(body);
    await expect(ping()).rejects.toMatchObject({ reason });
  });

  it('refuses a result of another type, and names the field', async () => {
    const { rpc } = await openNode();
    const call = rpc.call('number', [], text, neverAborted);
    await expect(call).rejects.toMatchObject({
      reason: 'INVALID_RESPONSE',
      message: expect.stringContaining('number') as string,
    });
  });

  it('does not follow a redirection, which would send the credentials elsewhere', async () => {
    const { node, ping } = await openNode();
    node.respond = (_request, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end();
    await expect(ping()).rejects.toMatchObject({ reason: 'DOWN' });
  });

  it('sends the credentials of the URL as a header, and never shows them or the path', async () => {
    const node = await startFakeNode({});
    const url = node.url.replace('http://', 'http://user:secret@');
    const rpc = createJsonRpc({ url: `${url}/key-123` });
    let authorization: string | undefined;
    node.respond = (request, response) => {
      ({ authorization } = request.headers);
      response.writeHead(500).end('broken');
    };
    const failure = (await rpc.call('ping', [], text, neverAborted).catch((error: unknown) => error)) as Error;
    expect(authorization).toBe(`Basic ${Buffer.from('user:secret').toString('base64')}`);
    expect(failure.message).toContain('127.0.0.1');
    expect(failure.message).not.toMatch(/secret|key-123/);
  });

  it('reports a node that cannot be reached', async () => {
    const rpc = createJsonRpc({ url: 'http://127.0.0.1:1/' });
    await expect(rpc.call('ping', [], text, neverAborted)).rejects.toMatchObject({ reason: 'DOWN' });
  });

  it('counts the end of the time of a poll as a failure of the node that was asked', async () => {
    const { node, rpc, ping } = await openNode();
    node.respond = () => undefined;
    await expect(ping(AbortSignal.timeout(50))).rejects.toMatchObject({ reason: 'DOWN' });
    expect(rpc.transport.failedAtMs).toBeGreaterThan(0);
  });

  it('ends at once when the worker stops', async () => {
    const { node, ping } = await openNode();
    const controller = new AbortController();
    node.respond = () => controller.abort(new Error('the worker stops'));
    await expect(ping(controller.signal)).rejects.toThrow('the worker stops');
  });
});
