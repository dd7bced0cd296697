import type { Exit } from '@cellhop/contract/exits';
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  basic,
  type Harness,
  openClient,
  socks5Connect,
  socks5Greeting,
  socks5Login,
  socks5Request,
  startHarness,
  untilGauge,
} from '../../test/gateway-harness.ts';
import { HeldTimers } from '../../test/held-timers.ts';
import { startNameServer } from '../../test/name-server.ts';
import { freePort } from '../../../tools/ports.mjs';
import { listenLocally, patternedBytes, sha256, until } from '../../test/sockets.ts';
import { startHttpUpstream, startSocks5Upstream, type UpstreamSettings } from '../../test/upstream.ts';
import type { GatewaySettings } from '../gateway.ts';

/** No other timer takes as long. */
const DIAL_MS = 1_234_567;
const credentials = { username: 'operator', password: 'a secret: of @the provider' };
const servers = { socks5: startSocks5Upstream, http: startHttpUpstream } as const;
const kinds = ['socks5', 'http'] as const;
type Kind = (typeof kinds)[number];
const stops: (() => unknown)[] = [];

const endAfter = (socket: Socket) => void socket.end();
const sendAfter = (socket: Socket) => void socket.write('then data');

afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
  vi.restoreAllMocks();
});

async function start(settings: Partial<GatewaySettings> = {}) {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'trace' }, { write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[0]) });
  const harness: Harness = await startHarness({ log, ...settings });
  stops.push(() => harness.stop());
  return { ...harness, lines };
}

async function startUpstream(kind: Kind, settings?: UpstreamSettings) {
  const upstream = await servers[kind](settings);
  stops.push(upstream.stop);
  return upstream;
}

const createExit = (kind: Kind, port: number, own: Partial<Exit> = {}): Exit =>
  ({ kind, id: randomUUID(), host: '127.0.0.1', port, ...own }) as Exit;

async function startEcho(greeting?: string) {
  const { server, port } = await listenLocally((socket) => {
    if (greeting !== undefined) socket.write(greeting);
    socket.pipe(socket);
  });
  stops.push(() => server.close());
  return port;
}

/** Starts a gateway with one connection that leaves through a new upstream. */
async function startThrough(
  kind: Kind,
  upstreamSettings: UpstreamSettings = {},
  own: Partial<Exit> = {},
  settings: Partial<GatewaySettings> = {},
) {
  const upstream = await startUpstream(kind, upstreamSettings);
  const node = await start(settings);
  const connection = node.control.sell({ exit: createExit(kind, upstream.port, own) });
  return { upstream, connection, ...node };
}

/** The head of the gateway's response to a CONNECT request. */
async function httpConnect(gateway: Harness['gateway'], connection: Parameters<typeof basic>[0], authority: string) {
  const client = await openClient(gateway.port);
  client.socket.write(
    `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nProxy-Authorization: ${basic(connection)}\r\n\r\n`,
  );
  return { client, head: await client.takeUntil('\r\n\r\n') };
}

describe.each(kinds)('an exit through another proxy (%s)', (kind) => {
  it('carries a tunnel, counts its payload only, and logs in', async () => {
    const { upstream, connection, gateway, control, lines } = await startThrough(
      kind,
      { credentials },
      { credentials },
    );
    const port = await startEcho();
    const { client, reply } = await socks5Connect(gateway, connection, '127.0.0.1', port);
    expect(reply).toBe(0);
    const payload = patternedBytes(3_000_000);
    client.socket.end(payload);
    const { bytes, end } = await client.rest();
    expect([sha256(bytes), end]).toEqual([sha256(payload), 'ended']);
    await until(() => connection.usedBytes === 2 * payload.length);
    expect(connection.uploadedBytes).toBe(payload.length);
    expect(upstream.seen).toEqual({
      logins: [`${credentials.username}:${credentials.password}`],
      targets: [`127.0.0.1:${port}`],
    });
    expect(JSON.stringify(lines)).not.toMatch(/a secret|operator/);
    expect(control.calls.authorize).toBe(1);
  });

  it('works without credentials, and serves requests of HTTP clients', async () => {
    const { connection, gateway, upstream } = await startThrough(kind);
    const { client, head } = await httpConnect(gateway, connection, `127.0.0.1:${await startEcho()}`);
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    client.socket.write('12345');
    expect((await client.take(5)).toString()).toBe('12345');
    expect(upstream.seen.logins).toEqual([]);
  });

  it('delivers what a destination sends before the client', async () => {
    const success = kind === 'http' ? 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n' : '\x05\0\0\x01\0\0\0\0\0\0';
    for (const relay of ['streams', 'pump', 'auto'] as const) {
      const reply = Buffer.from(`${success}220 hello`, 'latin1');
      const { connection, gateway } = await startThrough(kind, { reply, afterReply: endAfter }, {}, { relay });
      const { client } = await socks5Connect(gateway, connection, '127.0.0.1', 9);
      client.socket.end();
      expect((await client.rest()).bytes.toString()).toBe('220 hello');
      await until(() => connection.usedBytes === 9);
    }
  });

  it('gets the address of a name that the gateway has resolved and checked, and never a refused one', async () => {
    const names = await startNameServer({ 'public.test': ['198.41.0.4'], 'rebind.test': ['10.0.0.1'] });
    stops.push(names.stop);
    const reply = Buffer.from(kind === 'http' ? 'HTTP/1.1 200 OK\r\n\r\n' : '\x05\0\0\x01\0\0\0\0\0\0', 'latin1');
    const { connection, gateway, upstream } = await startThrough(
      kind,
      { reply },
      {},
      { allowPrivate: false, nameServers: [names.address] },
    );
    expect((await socks5Connect(gateway, connection, 'public.test', 443)).reply).toBe(0);
    for (const host of ['rebind.test', '169.254.169.254', 'localhost'])
      expect((await socks5Connect(gateway, connection, host, 443)).reply).toBe(2);
    expect((await socks5Connect(gateway, connection, '2001:500:2::c', 443)).reply).toBe(0);
    expect(upstream.seen.targets).toEqual(['198.41.0.4:443', '[2001:500:2::c]:443']);
  });

  it('may have a name', async () => {
    const names = await startNameServer({ 'proxy.test': ['127.0.0.1'] });
    stops.push(names.stop);
    const { connection, gateway, control } = await startThrough(
      kind,
      {},
      { host: 'proxy.test' },
      {
        nameServers: [names.address],
      },
    );
    const port = await startEcho();
    for (let tunnel = 0; tunnel < 3; tunnel += 1)
      expect((await socks5Connect(gateway, connection, '127.0.0.1', port)).reply).toBe(0);
    expect(names.queries.filter((name) => name === 'proxy.test')).toHaveLength(2);
    const other = control.sell({ exit: createExit(kind, 9, { host: 'missing.test' }) });
    expect(await refusal(gateway, other)).toBe('upstream-unreachable');
  });

  it('that is unreachable, refuses the login or is silent causes different replies and metrics', async () => {
    const dials = new HeldTimers(DIAL_MS);
    const { gateway, control } = await start({ limits: { dialMs: DIAL_MS } });
    const silent = await listenLocally((socket) => socket.once('data', () => dials.first()()));
    const closing = await listenLocally((socket) => socket.destroy());
    const garbage = await listenLocally((socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'));
    stops.push(() => [silent, closing, garbage].forEach(({ server }) => server.close()));
    const guarded = await startUpstream(kind, { credentials });
    const sell = (port: number, own?: Partial<Exit>) => control.sell({ exit: createExit(kind, port, own) });
    const wrong = { credentials: { username: 'operator', password: 'old' } };
    expect(await refusal(gateway, sell(await freePort()))).toBe('upstream-unreachable');
    expect(await refusal(gateway, sell(closing.port))).toBe('upstream-closed');
    expect(await refusal(gateway, sell(garbage.port))).toBe('upstream-malformed');
    expect(await refusal(gateway, sell(guarded.port, wrong))).toBe('upstream-auth-failed');
    expect(await refusal(gateway, sell(guarded.port))).toBe('upstream-auth-failed');
    // To an HTTP proxy the first message is the request, so only the destination may be late.
    expect(await refusal(gateway, sell(silent.port))).toBe(kind === 'http' ? 'dial-timeout' : 'upstream-timeout');
    expect((await socks5Connect(gateway, sell(await freePort()), '127.0.0.1', 9)).reply).toBe(1);
    const { head } = await httpConnect(gateway, sell(await freePort()), '127.0.0.1:9');
    expect(head).toMatch(/^HTTP\/1\.1 503 /);
    expect(head).toContain('Proxy-Status: gateway; error=destination_unavailable');
  });

  it('is never this gateway itself, however its address is written', async () => {
    const { gateway, control } = await start();
    for (const host of ['127.0.0.1', '0x7f.1', '127.9.9.9', '::ffff:127.0.0.1']) {
      const connection = control.sell({ exit: createExit(kind, gateway.port, { host }) });
      expect(await refusal(gateway, connection)).toBe('upstream-unreachable');
    }
    expect(control.calls.authorize).toBe(4);
  });

  it('sends a request to a refusing upstream once, not for each address of the destination', async () => {
    const names = await startNameServer({ 'many.test': ['198.41.0.1', '198.41.0.2', '198.41.0.3'] });
    stops.push(names.stop);
    const { connection, gateway, upstream } = await startThrough(
      kind,
      { credentials },
      { credentials: { username: 'operator', password: 'old' } },
      { nameServers: [names.address] },
    );
    expect((await socks5Connect(gateway, connection, 'many.test', 443)).reply).toBe(1);
    expect(upstream.seen.logins).toHaveLength(1);
  });

  it.each(['greeting', 'request'] as const)(
    'that stalls after the %s of its handshake is released at once when the client leaves',
    async (stage) => {
      const { gateway, control } = await start({ limits: { dialMs: 600_000, dialAttemptMs: 600_000 } });
      const sockets = new Set<Socket>();
      let received = 0;
      const { server, port } = await listenLocally((socket) => {
        sockets.add(socket.once('close', () => sockets.delete(socket)));
        socket.once('end', () => socket.end()).on('data', () => (received += 1));
        if (stage === 'request') socket.once('data', () => socket.write(Buffer.from([5, 0])));
      });
      stops.push(() => server.close());
      const connection = control.sell({ exit: createExit(kind, port) });
      const head = `GET http://127.0.0.1:9/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${basic(connection)}\r\n\r\n`;
      const connect = Buffer.concat([socks5Greeting, socks5Login(connection), socks5Request('127.0.0.1', 9)]);
      const leaves = [
        [connect, 'resetAndDestroy'],
        [head, 'resetAndDestroy'],
        // A client that ends its side after an absolute-form request has left; other clients may half-close.
        [head, 'end'],
      ] as const;
      for (const [bytes, leave] of leaves) {
        received = 0;
        const client = await openClient(gateway.port);
        client.socket.write(bytes);
        await until(() => received >= (kind === 'socks5' && stage === 'request' ? 2 : 1));
        client.socket[leave]();
        await until(() => sockets.size === 0);
        await untilGauge(gateway, 'gateway_tunnels', 0);
      }
      expect(connection.usedBytes).toBe(0);
    },
  );

  it('that stalls is released when the dial times out, also if the client has left', async () => {
    const dials = new HeldTimers(DIAL_MS);
    const { gateway, control } = await start({ limits: { dialMs: DIAL_MS } });
    const sockets = new Set<Socket>();
    const { server, port } = await listenLocally((socket) => {
      sockets.add(socket.once('close', () => sockets.delete(socket)).resume());
      socket.on('end', () => socket.end());
    });
    stops.push(() => server.close());
    const client = await openClient(gateway.port);
    const authority = '127.0.0.1:9';
    const connection = control.sell({ exit: createExit(kind, port) });
    client.socket.write(
      `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nProxy-Authorization: ${basic(connection)}\r\n\r\n`,
    );
    await until(() => sockets.size === 1);
    client.socket.destroy();
    dials.first()();
    await until(() => sockets.size === 0);
    expect(connection.usedBytes).toBe(0);
  });
});

/** The reason by which the metrics count a refused tunnel. */
async function refusal(gateway: Harness['gateway'], connection: Parameters<typeof basic>[0]) {
  const counts = async () =>
    new Map((await gateway.metrics.refusals.get()).values.map(({ labels, value }) => [labels['reason'], value]));
  const before = await counts();
  const { client } = await httpConnect(gateway, connection, '127.0.0.1:9');
  client.socket.destroy();
  const after = await counts();
  return [...after].find(([reason, count]) => count !== (before.get(reason) ?? 0))?.[0];
}

describe('the reply of a SOCKS5 upstream', () => {
  it.each([
    [1, 1, 'general failure'],
    [2, 2, 'refused by its rules'],
    [3, 3, 'network unreachable'],
    [4, 4, 'host unreachable'],
    [5, 5, 'connection refused'],
    [6, 4, 'time to live expired'],
    [7, 1, 'command unsupported'],
    [8, 3, 'address type unsupported'],
    [99, 1, 'unknown'],
  ])('%i becomes %i to the client: %s', { tags: ['thorough'] }, async (code, expected) => {
    for (const reply of [Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]), Buffer.from([5, code])]) {
      const { connection, gateway } = await startThrough('socks5', {
        reply,
        afterReply: endAfter,
      });
      expect((await socks5Connect(gateway, connection, '127.0.0.1', 9)).reply).toBe(expected);
    }
  });

  it.each([
    ['IPv4', [1, 0, 0, 0, 0, 0, 0]],
    ['IPv6', [4, ...Array<number>(18).fill(7)]],
    ['a name', [3, 4, 110, 97, 109, 101, 0, 80]],
  ])('may name what it is bound to by %s, byte for byte', async (_, address) => {
    const reply = Buffer.from([5, 0, 0, ...address]);
    const { connection, gateway } = await startThrough('socks5', { reply, afterReply: sendAfter });
    const { client, reply: code } = await socks5Connect(gateway, connection, '127.0.0.1', 9);
    expect(code).toBe(0);
    expect((await client.take(9)).toString()).toBe('then data');
  });

  it.each([
    ['of another version', [4, 0], 'upstream-malformed'],
    ['of an unknown address type', [5, 0, 0, 9, 1, 1], 'upstream-malformed'],
    ['that ends in the middle', [5, 0, 0, 1, 0], 'upstream-closed'],
  ])('%s fails the tunnel', async (_, bytes, cause) => {
    const { connection, gateway } = await startThrough('socks5', { reply: Buffer.from(bytes), afterReply: endAfter });
    expect(await refusal(gateway, connection)).toBe(cause);
  });

  it('that never comes is a timeout of the destination', async () => {
    const dials = new HeldTimers(DIAL_MS);
    const { connection, gateway } = await startThrough(
      'socks5',
      { reply: Buffer.from([5, 0, 0]), afterReply: () => dials.first()() },
      {},
      { limits: { dialMs: DIAL_MS } },
    );
    expect(await refusal(gateway, connection)).toBe('dial-timeout');
  });
});

describe('the response of an HTTP upstream', () => {
  it.each([
    ['HTTP/1.1 403 Forbidden\r\n\r\n', 'upstream-refused'],
    ['HTTP/1.0 502 Bad Gateway\r\nContent-Length: 3\r\n\r\nbad', 'host-unreachable'],
    ['HTTP/1.1 504 Late\r\n\r\n', 'dial-timeout'],
    ['HTTP/1.1 503 Busy\r\n\r\n', 'upstream-failed'],
    ['HTTP/1.1 302 Found\r\nLocation: http://login.test/\r\n\r\n', 'upstream-failed'],
    ['HTTP/1.1 100 Continue\r\n\r\n', 'upstream-malformed'],
    ['HTTP/2 200\r\n\r\n', 'upstream-malformed'],
    ['HTTP/1.1 OK\r\n\r\n', 'upstream-malformed'],
    [`HTTP/1.1 200 OK\r\nX-Fill: ${'x'.repeat(20_000)}\r\n\r\n`, 'upstream-malformed'],
    [`HTTP/1.1 200 OK\r\nX-Fill: ${'x'.repeat(20_000)}`, 'upstream-malformed'],
    ['HTTP/1.1 200 OK\r\nX-Ha', 'upstream-closed'],
  ])('%j', async (text, cause) => {
    const { connection, gateway } = await startThrough('http', { reply: Buffer.from(text), afterReply: endAfter });
    expect(await refusal(gateway, connection)).toBe(cause);
  });
});
