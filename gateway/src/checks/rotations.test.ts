import type { RotationReport } from '@cellhop/contract/exit-checks';
import type { Exit } from '@cellhop/contract/exits';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../tools/ports.mjs';
import { cert, key } from '../../test/echo-certificate.ts';
import { type Harness, readMetric, socks5Connect, startHarness } from '../../test/gateway-harness.ts';
import { HeldTimers } from '../../test/held-timers.ts';
import { startShopEcho } from '../../test/shop-echo.ts';
import { listenLocally, until } from '../../test/sockets.ts';
import { startSocks5Upstream } from '../../test/upstream.ts';
import type { GatewaySettings } from '../gateway.ts';

/** No other timer takes as long. */
const CALL_MS = 1_234_567;
const FAST = { exitChecksPollMs: 10, exitChecksBusyPollMs: 5, exitChecksRetryMs: 11, linkCallMs: CALL_MS };
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
  vi.restoreAllMocks();
});

const local = (address: string | null = null): Exit => ({ kind: 'local-address', id: randomUUID(), address });

async function start(settings: Partial<GatewaySettings> = {}): Promise<Harness> {
  const echo = await startShopEcho((nonce, response, request) => {
    response.end(JSON.stringify({ data: { nonce, address: request.socket.remoteAddress } }));
  });
  const harness = await startHarness({ ...settings, limits: { ...FAST, ...settings.limits } });
  harness.control.helloResponse = {
    ...harness.control.helloResponse,
    publicUrl: 'http://shop.test',
    echoUrls: [echo.url],
  };
  stops.push(echo.stop, () => harness.stop());
  return harness;
}

async function startFarm(respond: (request: IncomingMessage, response: ServerResponse) => void, host = '127.0.0.1') {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    respond(request, response);
  });
  server.listen(0, host);
  await once(server, 'listening');
  stops.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://${host}:${port}/rotate?key=secret`, port, seen };
}

type Link = Omit<Harness['control']['rotationOrders'][number]['link'], 'method'> & { method?: 'GET' | 'POST' };

/** @returns the id of the order */
function order({ control }: Harness, exit: Exit, link: Link): string {
  const id = randomUUID();
  control.rotatingIds = [exit.id];
  control.rotationOrders.push({ id, exit, link: { method: 'GET', ...link } });
  return id;
}

const reportsOf = ({ control }: Harness, id: string): Omit<RotationReport, 'id'>[] =>
  control.rotationReports
    .filter((report) => report.id === id)
    .map((report) => {
      const { id: _, ...rest } = report;
      return rest;
    });

/** Until the link has been called, or has failed. */
async function untilReports(harness: Harness, id: string, count: number) {
  await until(() => reportsOf(harness, id).length === count);
  return reportsOf(harness, id);
}

const CALLED = { outcome: 'called', address: '127.0.0.1' };
const ok = (_request: IncomingMessage, response: ServerResponse) => void response.end('OK');

/** What a farm does to which the gateway has to say that it has failed. */
const refusals: [string, (request: IncomingMessage, response: ServerResponse) => void, string][] = [
  ['answers 500', (_, response) => void response.writeHead(500).end('no'), 'link-status:500'],
  ['answers 404', (_, response) => void response.writeHead(404).end(), 'link-status:404'],
  ['resets the connection', (request) => void request.socket.resetAndDestroy(), 'link-unreachable'],
  ['answers what is no HTTP', (request) => void request.socket.end('SSH-2.0-OpenSSH\r\n'), 'link-malformed'],
  [
    'redirects to another host',
    (_, response) => void response.writeHead(302, { location: 'http://127.0.0.2/' }).end(),
    'link-status:302',
  ],
  [
    'redirects to itself for ever',
    (request, response) => void response.writeHead(302, { location: request.url }).end(),
    'link-status:302',
  ],
];

describe('the link of a farm', () => {
  it("is called by the exit's gateway, after the address was seen, with its method and its header", async () => {
    const farm = await startFarm(ok);
    const harness = await start();
    const header = { name: 'X-Key', value: 'of the farm' };
    const id = order(harness, local(), { method: 'POST', url: farm.url, header });
    await until(() => farm.seen.length === 1);
    expect(await untilReports(harness, id, 1)).toEqual([CALLED]);
    const [request] = farm.seen;
    expect([request!.method, request!.url]).toEqual(['POST', '/rotate?key=secret']);
    expect(request!.headers).toMatchObject({ 'x-key': 'of the farm', 'content-length': '0' });
  });

  it('may have a login, and is called once, however often the order arrives', async () => {
    const farm = await startFarm(ok);
    const harness = await start();
    const url = farm.url.replace('http://', 'http://user:p%40ss@');
    const exit = local();
    const id = order(harness, exit, { url });
    harness.control.rotationOrders.push({ id, exit, link: { method: 'GET', url } });
    await untilReports(harness, id, 1);
    await until(() => farm.seen.length > 0);
    expect(farm.seen.map(({ headers }) => headers.authorization)).toEqual([
      `Basic ${Buffer.from('user:p@ss').toString('base64')}`,
    ]);
  });

  it.each(refusals)('that %s has failed', async (_, respond, reason) => {
    const farm = await startFarm(respond);
    const harness = await start();
    const id = order(harness, local(), { url: farm.url });
    expect(await untilReports(harness, id, 2)).toEqual([CALLED, { outcome: 'failed', reason }]);
    expect(farm.seen.length).toBeLessThan(6);
  });

  it('that nobody serves has failed', async () => {
    const harness = await start();
    const id = order(harness, local(), { url: `http://127.0.0.1:${await freePort()}/` });
    expect((await untilReports(harness, id, 2))[1]).toEqual({ outcome: 'failed', reason: 'link-unreachable' });
  });

  it('whose certificate is not that of its host has failed', async () => {
    const server = createTlsServer({ cert, key }, (_, response) => response.end('OK')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    stops.push(() => server.close());
    const harness = await start();
    const id = order(harness, local(), { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/` });
    expect((await untilReports(harness, id, 2))[1]).toEqual({ outcome: 'failed', reason: 'link-tls' });
  });

  it('is followed by a redirect on its own host', async () => {
    const farm = await startFarm((request, response) => {
      if (request.url === '/done') response.end('OK');
      else response.writeHead(303, { location: '/done' }).end();
    });
    const harness = await start();
    const id = order(harness, local(), { method: 'POST', url: farm.url });
    await until(() => farm.seen.length === 2);
    expect(farm.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /rotate?key=secret', 'GET /done']);
    expect(reportsOf(harness, id)).toEqual([CALLED]);
  });

  it('that hangs is given up after its time, which is no failure: the farm may be at it', async () => {
    const timers = new HeldTimers(CALL_MS);
    const closed = Promise.withResolvers<void>();
    const farm = await startFarm((request) => void request.socket.once('close', () => closed.resolve()));
    const harness = await start();
    const id = order(harness, local(), { url: farm.url });
    await until(() => farm.seen.length === 1 && timers.running > 0);
    timers.first()();
    await closed.promise;
    const before = harness.control.calls.exitChecks;
    await until(() => harness.control.calls.exitChecks > before + 5);
    expect(reportsOf(harness, id)).toEqual([CALLED]);
  });

  it('that sends a gigabyte is left after the first bytes, and has been called', async () => {
    const closed = Promise.withResolvers<number>();
    const chunk = Buffer.alloc(65_536);
    const farm = await startFarm((request, response) => {
      let bytes = 0;
      const write = (): void => {
        while (!response.destroyed && response.write(chunk)) bytes += chunk.length;
        response.once('drain', write);
      };
      request.socket.once('close', () => closed.resolve(bytes));
      write();
    });
    const harness = await start();
    const id = order(harness, local(), { url: farm.url });
    // What the kernel takes by itself.
    expect(await closed.promise).toBeLessThan(64 * 1_048_576);
    expect(reportsOf(harness, id)).toEqual([CALLED]);
  });

  it.each([
    'http://localhost:PORT/',
    'http://127.0.0.1:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://100.64.0.1/',
    'http://192.168.8.1/api',
    'http://10.0.0.1/',
  ])('is refused at %s, where private destinations are not allowed', { tags: ['thorough'] }, async (template) => {
    const farm = await startFarm(ok);
    const harness = await start({ allowPrivate: false });
    const exits: Exit[] = [local(), { kind: 'socks5', id: randomUUID(), host: '127.0.0.1', port: farm.port }];
    for (const exit of exits) {
      const id = order(harness, exit, { url: template.replace('PORT', String(farm.port)) });
      await until(() => reportsOf(harness, id).length === 2);
      expect(reportsOf(harness, id)[1]).toEqual({ outcome: 'failed', reason: 'link-prohibited' });
    }
    expect(farm.seen.map(({ url }) => url).filter((url) => url !== undefined && !url.includes(':'))).toEqual([]);
  });

  it('ends with the node', async () => {
    const sockets = new Set<Socket>();
    const farm = await startFarm((request) => {
      sockets.add(request.socket);
      request.socket.once('close', () => sockets.delete(request.socket));
    });
    const harness = await start();
    order(harness, local(), { url: farm.url });
    await until(() => sockets.size === 1);
    await harness.gateway.close();
    await expect.poll(() => sockets.size).toBe(0);
  });
});

/** An origin that keeps its connections, and a tunnel to it. */
async function openTunnel(harness: Harness, exit: Exit) {
  const origin: Socket[] = [];
  const { server, port } = await listenLocally((socket) => void origin.push(socket.on('error', () => {})));
  stops.push(() => server.close());
  const connection = harness.control.sell({ exit });
  const { client, reply } = await socks5Connect(harness.gateway, connection, '127.0.0.1', port);
  expect(reply).toBe(0);
  await until(() => origin.length === 1);
  return { client, origin: origin[0]!, port, connection };
}

const ended = async (socket: Socket): Promise<'end' | 'reset'> => {
  socket.resume();
  return Promise.race([
    once(socket, 'end').then(() => 'end' as const),
    once(socket, 'error').then(() => 'reset' as const),
  ]).catch(() => 'reset');
};

describe('tunnels through an exit whose address changes', () => {
  it('get a reset before the link is called, and those of other exits go on', async () => {
    const farm = await startFarm(() => {});
    const harness = await start();
    const [exit, other] = [local(), local()];
    const [changed, kept] = [await openTunnel(harness, exit), await openTunnel(harness, other)];
    const end = ended(changed.client.socket);
    order(harness, exit, { url: farm.url });
    expect(await end).toBe('reset');
    await until(() => farm.seen.length === 1);
    kept.origin.write('still here');
    expect((await kept.client.take(10)).toString()).toBe('still here');
    expect(changed.connection.state).not.toBe('ended');
    expect(await readMetric(harness.gateway, 'gateway_tunnel_ends_total', { reason: 'address-changed' })).toBe(1);
    kept.client.socket.destroy();
    // The connection goes on: a new tunnel opens.
    const again = await socks5Connect(harness.gateway, changed.connection, '127.0.0.1', changed.port);
    expect(again.reply).toBe(0);
    again.client.socket.destroy();
  });

  it.each(['socks5', 'local-address'] as const)(
    'that are opened meanwhile through %s get a reset where the upstream ends them, and a clean end afterwards',
    async (kind) => {
      const upstream = await startSocks5Upstream();
      stops.push(upstream.stop);
      const exit: Exit =
        kind === 'socks5' ? { kind, id: randomUUID(), host: '127.0.0.1', port: upstream.port } : local();
      const harness = await start();
      const before = await openTunnel(harness, exit);
      harness.control.rotatingIds = [exit.id];
      const { exitChecks } = harness.control.calls;
      await until(() => harness.control.calls.exitChecks > exitChecks + 2);
      const during = ended(before.client.socket);
      before.origin.end('truncated');
      expect(await during).toBe('reset');
      harness.control.rotatingIds = [];
      const calls = harness.control.calls.exitChecks;
      await until(() => harness.control.calls.exitChecks > calls + 2);
      const after = await openTunnel(harness, exit);
      const end = ended(after.client.socket);
      after.origin.end('whole');
      expect(await end).toBe('end');
    },
  );
});
