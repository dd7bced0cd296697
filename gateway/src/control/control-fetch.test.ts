import { describe, expect, it, onTestFinished } from 'vitest';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { freePort } from '../../../tools/ports.mjs';
import { controlFetch } from './control-fetch.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/call`;
}

const call = (url: string, { body = '{"a":"ä"}', signal = AbortSignal.timeout(10_000) } = {}) =>
  controlFetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal });

describe('a call to the control plane', () => {
  it('sends the body, and returns status, fields and text', async () => {
    const url = await serve((request, response) => {
      const { method, url, headers } = request;
      const fields = [method, url, headers['content-type'], headers['content-length']];
      response.writeHead(429, { 'retry-after': '7' });
      void text(request).then((body) => response.end(JSON.stringify([...fields, body])));
    });
    const response = await call(url);
    expect([response.ok, response.status]).toEqual([false, 429]);
    expect([response.headers.get('retry-after'), response.headers.get('missing')]).toEqual(['7', null]);
    expect(JSON.parse(await response.text())).toEqual(['POST', '/call', 'application/json', '10', '{"a":"ä"}']);
  });

  it('uses a connection again, and another one if it was closed in the meantime', async () => {
    const ports: (number | undefined)[] = [];
    const url = await serve(({ socket }, response) => {
      ports.push(socket.remotePort);
      if (ports.length === 3) socket.resetAndDestroy();
      else response.end('done');
    });
    for (let calls = 0; calls < 3; calls += 1) expect(await (await call(url)).text()).toBe('done');
    expect(ports[1]).toBe(ports[0]);
    expect(ports[2]).toBe(ports[1]);
    expect(ports[3]).not.toBe(ports[2]);
    expect(ports).toHaveLength(4);
  });

  it('works after all idle connections were closed', async () => {
    let isRestarted = false;
    const old = new Set<unknown>();
    const url = await serve(({ socket }, response) => {
      if (!isRestarted) old.add(socket);
      if (isRestarted && old.has(socket)) return void socket.resetAndDestroy();
      // Late enough that each call has a separate connection.
      setTimeout(() => response.end('done'), 100);
    });
    await Promise.all([1, 2, 3].map(() => call(url)));
    expect(old.size).toBe(3);
    isRestarted = true;
    await expect(call(url)).resolves.toMatchObject({ status: 200 });
  });

  it('fails with the reason of its signal, before and during the response', async () => {
    const url = await serve(({ url }, response) => {
      if (url === '/call/begun') response.write('begun');
    });
    for (const path of ['', '/begun'])
      await expect(call(url + path, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
        name: 'TimeoutError',
      });
  });

  it('fails if there is no server, and if the response is incomplete', async () => {
    await expect(call(`http://127.0.0.1:${await freePort()}/`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const url = await serve(({ socket }, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('half', () => socket.destroy());
    });
    await expect(call(url)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});
