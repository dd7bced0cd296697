import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { errorOf, exchangeBytes, openSocket, parseAnswer } from '../../test/raw-http.ts';
import { createHttpServer } from './http-server.ts';
import { Sockets } from './sockets.ts';

const HEADERS = { 'X-Frame-Options': 'DENY' };
const QUICK = {
  headersTimeout: 100,
  requestTimeout: 300,
  connectionsCheckingInterval: 20,
  keepAliveTimeout: 72_000,
  silenceTimeout: 200,
};
let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  await (server && once(server, 'close'));
});

function start(timeouts?: typeof QUICK): Promise<string> {
  const sockets = new Sockets({ total: 100, perNetwork: 100, unreadBytes: 2 ** 30 });
  return listen(createHttpServer(sockets, HEADERS, (_request, response) => response.end(LARGE), timeouts));
}

async function listen(made: Server): Promise<string> {
  server = made.listen(0, '127.0.0.1');
  await once(made, 'listening');
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

/** More than the kernel's socket buffers. */
const LARGE = Buffer.alloc(64 * 1024 * 1024);

describe('a malformed request gets a response in the common error format', () => {
  test.each([
    ['headers that are too large', `GET / HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ['no HTTP', 'nonsense\r\n\r\n', 400, 'VALIDATION'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400, 'VALIDATION'],
    ['an unknown method', 'BUY / HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'VALIDATION'],
  ])('%s', async (_name, bytes, status, code) => {
    const answer = await exchangeBytes(await start(), bytes);
    expect(answer).toMatchObject({
      status,
      headers: { connection: 'close', 'cache-control': 'no-store', 'x-frame-options': 'DENY' },
    });
    expect(Number(answer.headers['content-length'])).toBe(answer.text.length);
    expect(errorOf(answer)).toMatchObject({ statusCode: status, code });
  });
});

test('a search for a hundred cities in Thai is not too large', async () => {
  const cities = Array.from({ length: 100 }, (_, index) => `city=${encodeURIComponent('พระนครศรีอยุธยา')}${index}`);
  const bytes = `GET /v1/proxies?${cities.join('&')} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${'x'.repeat(4000)}\r\nConnection: close\r\n\r\n`;
  expect(bytes.length).toBeGreaterThan(16 * 1024);
  const sockets = new Sockets({ total: 100, perNetwork: 100, unreadBytes: 2 ** 30 });
  const url = await listen(createHttpServer(sockets, HEADERS, (_request, response) => response.end('found')));
  expect((await exchangeBytes(url, bytes)).status).toBe(200);
});

describe('a client that stalls is disconnected', () => {
  test.each([
    ['without a byte', ''],
    ['in the headers', 'GET / HTTP/1.1\r\nHost: a\r\n'],
    ['in the body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nx'],
  ])('%s, with an error', async (_name, bytes) => {
    const sockets = new Sockets({ total: 100, perNetwork: 100, unreadBytes: 2 ** 30 });
    const url = await listen(createHttpServer(sockets, HEADERS, () => {}, { ...QUICK, silenceTimeout: 60_000 }));
    const answer = await exchangeBytes(url, bytes);
    expect([answer.status, errorOf(answer).code]).toEqual([408, 'REQUEST_TIMEOUT']);
    await expect.poll(() => sockets.count).toBe(0);
  });

  test('while it should read its response', async () => {
    const socket = await openSocket(await start(QUICK));
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const [request] = (await once(server!, 'request')) as [{ socket: NodeJS.EventEmitter }];
    await once(request.socket, 'close');
    expect(server!.listening).toBe(true);
    socket.destroy();
  });
});

test('no error is written into a response that has started', async () => {
  const socket = await openSocket(await start());
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n');
  let text = '';
  for await (const piece of socket.setEncoding('latin1')) text = (text + (piece as string)).slice(0, 2000);
  expect(parseAnswer(text).status).toBe(200);
  expect(text).not.toContain('VALIDATION');
});
