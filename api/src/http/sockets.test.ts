import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { openSocket, whenClosed } from '../../test/raw-http.ts';
import { createHttpServer } from './http-server.ts';
import { Sockets, type SocketLimits } from './sockets.ts';

const UNFINISHED = 'POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nbegun';
const LARGE = Buffer.alloc(64 * 1024 * 1024, 'x');
const opened: (net.Socket | http.Server)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const one of opened) if (one instanceof net.Socket) one.destroy();
  for (const one of opened) {
    if (!(one instanceof http.Server)) continue;
    one.closeAllConnections();
    one.close();
    await once(one, 'close');
  }
  opened.length = 0;
});

interface Started {
  sockets: Sockets;
  /** Pending requests; the test decides when the server responds, except to `/large`, `/unended` and `/body`. */
  waiting: http.ServerResponse[];
  open: (localAddress: string, bytes?: string) => Promise<net.Socket>;
}

async function start(limits: Partial<SocketLimits>): Promise<Started> {
  const sockets = new Sockets({ total: 1000, perNetwork: 1000, unreadBytes: 2 ** 30, ...limits });
  const waiting: http.ServerResponse[] = [];
  const server = createHttpServer(sockets, {}, (request, response) => {
    if (request.url === '/large') response.end(LARGE);
    else if (request.url === '/unended') response.write(LARGE);
    else if (request.url === '/forwarded') {
      sockets.markForwarding(request.socket);
      response.end();
    } else if (request.url === '/node') {
      sockets.markNode(request.socket);
      response.end();
    } else if (request.url !== '/body') waiting.push(response);
  });
  opened.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const open = async (localAddress: string, bytes = '') => {
    const known = sockets.count + sumOf(sockets.closed);
    const socket = await openSocket(url, localAddress);
    opened.push(socket);
    // The kernel has accepted it; the server gets it a moment later.
    await expect.poll(() => sockets.count + sumOf(sockets.closed)).toBeGreaterThan(known);
    socket.write(bytes);
    return socket;
  };
  return { sockets, waiting, open };
}

const sumOf = (counts: Record<string, number>) => Object.values(counts).reduce((sum, count) => sum + count, 0);
const countOpen = (all: readonly net.Socket[]) => all.filter(({ destroyed }) => !destroyed).length;
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

test('a new socket beyond the limit of its network replaces the longest idle one', async () => {
  const { sockets, open } = await start({ perNetwork: 3 });
  const [first, second] = [await open('127.0.0.2', UNFINISHED), await open('127.0.0.2', UNFINISHED)];
  await open('127.0.0.2');
  const [stranger] = [await open('127.0.0.3', UNFINISHED)];
  await open('127.0.0.2');
  await whenClosed(first);
  expect([second.destroyed, stranger.destroyed]).toEqual([false, false]);
  expect([sockets.count, sockets.closed.network]).toEqual([4, 1]);
});

test('a /56 may have twice as many sockets as a /64, and a /48 four times as many; a full process closes those of the /48 with the most', () => {
  const sockets = new Sockets({ total: 10, perNetwork: 2, unreadBytes: 2 ** 30 });
  const server = http.createServer();
  sockets.guard(server);
  const open = (remoteAddress: string) => {
    const socket = Object.assign(new net.Socket(), { resetAndDestroy: () => socket.destroy() });
    Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress });
    server.emit('connection', socket);
    return socket;
  };
  const ofOne64 = Array.from({ length: 5 }, (_, host) => open(`2001:db8:1:1::${host}`));
  const ofOne56 = Array.from({ length: 8 }, (_, network) => open(`2001:db8:1:${network + 2}::1`));
  const ofOne48 = Array.from({ length: 12 }, (_, network) => open(`2001:db8:1:${(network + 1).toString(16)}00::1`));
  expect([ofOne64, ofOne56, ofOne48].map(countOpen)).toEqual([0, 0, 8]);
  expect(sockets.closed.network).toBe(17);
  const others = ['2001:db8:2::1', '203.0.113.1', '203.0.113.2', '203.0.113.3'].map(open);
  expect([countOpen(others), sockets.count, sockets.closed.total]).toEqual([4, 10, 2]);
  server.emit('close');
});

test('a request in progress is never interrupted for a new socket, which is refused instead', async () => {
  const { sockets, waiting, open } = await start({ perNetwork: 2 });
  const served = [await open('127.0.0.2', get('/')), await open('127.0.0.2', get('/'))];
  await expect.poll(() => waiting.length).toBe(2);
  await whenClosed(await open('127.0.0.2'));
  for (const response of waiting) response.end('served');
  for (const socket of served) expect(String((await once(socket, 'data'))[0])).toContain('served');
  expect(sockets.count).toBe(2);
});

test('when the process is full, a new socket replaces one of the network with the most sockets', async () => {
  const { sockets, open } = await start({ total: 6 });
  const attacking = [];
  for (let index = 0; index < 5; index++) attacking.push(await open('127.0.0.2', UNFINISHED));
  const honest = await open('127.0.0.3', UNFINISHED);
  const newcomers = [await open('127.0.0.4'), await open('127.0.0.5')];
  await Promise.all([whenClosed(attacking[0]!), whenClosed(attacking[1]!)]);
  expect([honest, ...newcomers].map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
  expect([sockets.count, sockets.closed.total]).toEqual([6, 2]);
});

test('a trusted proxy may exceed the limit of a network, and sockets of gateways are never replaced', async () => {
  const { sockets, open } = await start({ perNetwork: 2, total: 5 });
  const node = await open('127.0.0.2', get('/node'));
  await once(node, 'data');
  for (let index = 0; index < 4; index++) await once(await open('127.0.0.2', get('/forwarded')), 'data');
  expect([sockets.count, sumOf(sockets.closed)]).toEqual([5, 0]);
  await open('127.0.0.2');
  expect([sockets.closed.total, node.destroyed]).toEqual([1, false]);
});

test('a client that pipelines too many requests is disconnected', async () => {
  const { sockets, waiting, open } = await start({});
  await whenClosed(await open('127.0.0.2', get('/').repeat(100)));
  expect(sockets.closed.pipelining).toBe(1);
  expect(waiting.length).toBeLessThan(10);
});

test.each(['/large', '/unended'])('the memory for unread responses is limited: %s', async (path) => {
  // Complete responses are counted at once, others by the periodic check. The first case shows that it needs no such check.
  if (path === '/large') vi.spyOn(globalThis, 'setInterval').mockReturnValue(setTimeout(() => undefined));
  const { sockets, open } = await start({ unreadBytes: 1024 * 1024 });
  const reader = await open('127.0.0.3', get('/'));
  const lazy = await open('127.0.0.2');
  lazy.pause();
  lazy.write(get(path));
  await expect.poll(() => sockets.closed.unread).toBe(1);
  await whenClosed(lazy);
  expect([sockets.unreadBytes, reader.destroyed]).toEqual([0, false]);
});

test('the close callback is called for every request, also for a queued pipelined one', async () => {
  const { sockets, waiting, open } = await start({});
  const client = await open('127.0.0.2', get('/first') + get('/second'));
  await expect.poll(() => waiting.length).toBe(2);
  let ended = 0;
  for (const response of waiting) sockets.onceClosed(response, () => void ended++);
  client.destroy();
  await expect.poll(() => ended).toBe(2);
  sockets.onceClosed(waiting[0]!, () => void ended++);
  expect(ended).toBe(3);
});

test('sockets that were never used are closed at the end, those with a request are not', async () => {
  const { sockets, waiting, open } = await start({});
  const unused = await open('127.0.0.2');
  const used = await open('127.0.0.2', get('/slow'));
  await expect.poll(() => waiting.length).toBe(1);
  sockets.closeUnused();
  await whenClosed(unused);
  expect(used.destroyed).toBe(false);
});
