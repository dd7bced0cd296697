import { checkExits, type ExitCheck } from '@cellhop/contract/exit-checks';
import type { Exit } from '@cellhop/contract/exits';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../tools/ports.mjs';
import { cert, key } from '../../test/echo-certificate.ts';
import { type Harness, socks5Connect, startHarness, untilGauge } from '../../test/gateway-harness.ts';
import { HeldTimers } from '../../test/held-timers.ts';
import { answerAs, startShopEcho } from '../../test/shop-echo.ts';
import { listenLocally, until } from '../../test/sockets.ts';
import { startHttpUpstream, startSocks5Upstream, type UpstreamSettings } from '../../test/upstream.ts';
import type { GatewaySettings } from '../gateway.ts';
import { defaultLimits } from '../limits.ts';
import { parseAuthority } from '../protocol/host.ts';

/** No other timer takes as long. */
const TIMEOUT_MS = 1_234_567;
const RETRY_MS = 11;
const FAST = {
  exitChecksPollMs: 10,
  exitChecksBusyPollMs: 5,
  exitChecksRetryMs: RETRY_MS,
  exitCheckTimeoutMs: TIMEOUT_MS,
  echoProbeMs: 60_000,
};
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
  vi.restoreAllMocks();
});

type Echo = Awaited<ReturnType<typeof startShopEcho>>;

async function openEcho(...parameters: Parameters<typeof startShopEcho>): Promise<Echo> {
  const echo = await startShopEcho(...parameters);
  stops.push(echo.stop);
  return echo;
}

/** A node that knows these echoes. */
async function start(echoUrls: readonly string[], settings: Partial<GatewaySettings> = {}): Promise<Harness> {
  // Private destinations are refused, as for customers in production: only the node's own check may reach the echo.
  const harness = await startHarness({ allowPrivate: false, ...settings, limits: { ...FAST, ...settings.limits } });
  harness.control.helloResponse = {
    ...harness.control.helloResponse,
    publicUrl: 'http://shop.test',
    echoUrls,
  };
  stops.push(() => harness.stop());
  return harness;
}

async function check({ control }: Harness, exit: Exit): Promise<Omit<ExitCheck, 'exitId'>> {
  control.exitChecks.length = 0;
  control.dueExits.push(exit);
  await until(() => control.exitChecks.some(({ exitId }) => exitId === exit.id));
  const { exitId: _, ...outcome } = control.exitChecks.find(({ exitId }) => exitId === exit.id)!;
  return outcome;
}

const servers = { socks5: startSocks5Upstream, http: startHttpUpstream } as const;
type Kind = keyof typeof servers;
const kinds: Kind[] = ['socks5', 'http'];

const through = (kind: Kind, port: number, own: object = {}): Exit => ({
  kind,
  id: randomUUID(),
  host: '127.0.0.1',
  port,
  ...own,
});
const local = (address: string | null = null): Exit => ({ kind: 'local-address', id: randomUUID(), address });

async function startUpstream(kind: Kind, settings?: UpstreamSettings) {
  const upstream = await servers[kind](settings);
  stops.push(upstream.stop);
  return upstream;
}

async function listening(serve: (socket: Socket) => void): Promise<number> {
  const { server, port } = await listenLocally(serve);
  stops.push(() => server.close());
  return port;
}

const credentials = { username: 'operator', password: 'secret' };
const close = (socket: Socket): void => void socket.end();

const page = (head: string, body: string) => `HTTP/1.1 ${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe.each(kinds)('a check of an exit through a %s upstream', (kind) => {
  let timeouts: HeldTimers;
  beforeEach(() => {
    timeouts = new HeldTimers(TIMEOUT_MS);
  });
  /** When the check has got so far. */
  const timeOutOnData = (socket: Socket): void => void socket.once('data', () => timeouts.first()());

  it('is a request to the echo of the shop, which tells the public address', async () => {
    const echo = await openEcho();
    const upstream = await startUpstream(kind, { credentials });
    const outcome = await check(await start([echo.url]), through(kind, upstream.port, { credentials }));
    expect(outcome).toEqual({
      outcome: 'ok',
      latencyMs: expect.any(Number),
      seenAddress: '198.41.0.7',
      address: '198.41.0.7',
    });
    expect([echo.seen, upstream.seen.targets]).toEqual([['/v1/echo'], [`127.0.0.1:${echo.port}`]]);
  });

  it('is not charged, and leaves nothing open', async () => {
    const harness = await start([(await openEcho()).url]);
    const upstream = await startUpstream(kind);
    await check(harness, through(kind, upstream.port));
    await until(() => upstream.sockets.size === 0);
    expect((await harness.gateway.metrics.bytesTotal.get()).values.every(({ value }) => value === 0)).toBe(true);
    await untilGauge(harness.gateway, 'gateway_exit_checks_running', 0);
  });

  const refusals: Record<Kind, [string, Buffer, string][]> = {
    http: [403, 407, 500, 502, 503].map((status) => [
      `answers every CONNECT with ${status}`,
      Buffer.from(`HTTP/1.1 ${status} No\r\n\r\n`),
      { 403: 'upstream-refused', 407: 'upstream-auth-failed', 502: 'host-unreachable' }[status] ?? 'upstream-failed',
    ]),
    socks5: [1, 2, 5].map((code) => [
      `answers every CONNECT with ${code}`,
      Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]),
      { 2: 'upstream-refused', 5: 'connection-refused' }[code] ?? 'upstream-failed',
    ]),
  };

  it.each(refusals[kind])('fails if it %s, regardless of the password', async (_, reply, cause) => {
    const upstream = await startUpstream(kind, { reply, afterReply: close });
    const harness = await start([(await openEcho()).url], { allowPrivate: true });
    const outcome = await check(harness, through(kind, upstream.port));
    const code = kind === 'http' ? /\d{3}/.exec(reply.toString())![0] : reply[1];
    expect(outcome).toEqual({ outcome: 'failed', reason: `${cause}:${code}` });
  });

  it('fails if it cannot be reached, closes, sends garbage, refuses the login or is silent', async () => {
    const harness = await start([(await openEcho()).url], { allowPrivate: true });
    const guarded = await startUpstream(kind, { credentials });
    const reasonFor = async (port: number, own?: object) => (await check(harness, through(kind, port, own))).reason;
    expect(await reasonFor(await freePort())).toBe('upstream-unreachable');
    expect(await reasonFor(await listening((socket) => socket.destroy()))).toBe('upstream-closed');
    expect(await reasonFor(await listening((socket) => socket.end('SSH-2.0-OpenSSH\r\n')))).toBe('upstream-malformed');
    const wrong = { credentials: { username: 'operator', password: 'old' } };
    expect(await reasonFor(guarded.port, wrong)).toMatch(/^upstream-auth-failed/);
    const silence = kind === 'http' ? 'dial-timeout' : 'upstream-timeout';
    expect(await reasonFor(await listening(timeOutOnData))).toBe(silence);
  });

  it('in a private network does not tell which ports are open', async () => {
    const harness = await start([(await openEcho()).url]);
    const reasonFor = async (port: number, own?: object) => (await check(harness, through(kind, port, own))).reason;
    const server = await listening((socket) => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'));
    const garbage = await listening((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    const silent = await listening(timeOutOnData);
    const closing = await listening((socket) => socket.destroy());
    for (const port of [await freePort(), server, garbage, silent, closing])
      expect(await reasonFor(port)).toBe('upstream-unreachable');
    const guarded = await startUpstream(kind, { credentials });
    expect(await reasonFor(guarded.port)).toMatch(/^upstream-auth-failed/);
  });

  const success = { http: Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), socks5: Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]) };
  it.each([
    ['closes the tunnel', close, 'connection-terminated'],
    ['sends garbage through it', (socket: Socket): void => void socket.end('\0garbage'), 'echo-malformed'],
    [
      'shows a page of its own',
      (socket: Socket): void => void socket.end(page('200 OK', '<p>Please log in</p>')),
      'echo-mismatch',
    ],
    [
      'answers with JSON of its own',
      (socket: Socket): void => void socket.end(page('200 OK', '{"data":{"nonce":"1","address":"::"}}')),
      'echo-mismatch',
    ],
    ['redirects', (socket: Socket): void => void socket.end(page('302 Found', '')), 'echo-status:302'],
    [
      'sends without end',
      (socket: Socket): void => void socket.write(page('200 OK', 'x'.repeat(100_000))),
      'echo-mismatch',
    ],
    ['says nothing', timeOutOnData, 'dial-timeout'],
    [
      'keeps sending bytes',
      (socket: Socket): void => {
        socket.write('HTTP/1.1 200 OK\r\nX: ');
        socket.once('data', () => {
          const timeOut = timeouts.first();
          const timer = setInterval(() => void (socket.write('x') && socket.bytesWritten > 50 && timeOut()), 5);
          socket.once('close', () => clearInterval(timer));
        });
      },
      'dial-timeout',
    ],
  ] as const)('fails if it accepts everything and then %s', async (_, afterReply, reason) => {
    const upstream = await startUpstream(kind, { reply: success[kind], afterReply });
    const harness = await start([(await openEcho()).url], { allowPrivate: true });
    const outcome = await check(harness, through(kind, upstream.port));
    expect(outcome).toEqual({ outcome: 'failed', reason });
  });
});

describe('a check of an exit', () => {
  it('from an address of this host asks from there, and fails if the address is gone', async () => {
    const echo = await openEcho((nonce, response, request) =>
      answerAs(request.socket.remoteAddress!)(nonce, response, request),
    );
    const harness = await start([echo.url]);
    expect(await check(harness, local('127.0.0.9'))).toEqual({
      outcome: 'ok',
      latencyMs: expect.any(Number),
      address: '127.0.0.9',
    });
    expect(await check(harness, local('192.0.2.9'))).toEqual({ outcome: 'failed', reason: 'exit-unavailable' });
  });

  it('proves nothing while the echo itself does not work', async () => {
    const upstream = await startUpstream('http');
    const outcome = await check(
      await start([`http://localhost:${await freePort()}/v1/echo`]),
      through('http', upstream.port),
    );
    expect(outcome).toEqual({ outcome: 'inconclusive', reason: 'echo-unreachable' });
    const broken = await openEcho((_nonce, response) => void response.writeHead(503).end());
    expect(await check(await start([broken.url]), local())).toMatchObject({ outcome: 'inconclusive' });
  });

  it('of a dead exit is a failure even then', async () => {
    const harness = await start([`http://localhost:${await freePort()}/v1/echo`]);
    expect(await check(harness, through('socks5', await freePort()))).toMatchObject({ reason: 'upstream-unreachable' });
  });

  it('asks the second echo if the first does not answer', async () => {
    const timeouts = new HeldTimers(TIMEOUT_MS / 2);
    const [silent, second] = [await openEcho(() => timeouts.first()()), await openEcho()];
    const outcome = await check(await start([silent.url, second.url]), local());
    expect(outcome).toMatchObject({ outcome: 'ok', seenAddress: '198.41.0.7' });
    expect([silent.seen, second.seen]).toEqual([['/v1/echo'], ['/v1/echo']]);
  });

  it('uses TLS through the exit, and believes no certificate that is not that of the echo', async () => {
    const echo = await openEcho(answerAs('198.41.0.7'), { cert, key });
    const harness = await start([echo.url]);
    const upstream = await startUpstream('socks5');
    expect(await check(harness, local())).toMatchObject({ outcome: 'inconclusive' });
    const trusted = getCACertificates('default');
    stops.push(() => setDefaultCACertificates(trusted));
    setDefaultCACertificates([...trusted, cert]);
    const trusting = await start([echo.url]);
    for (const exit of [local(), through('socks5', upstream.port)])
      expect(await check(trusting, exit)).toMatchObject({ outcome: 'ok', seenAddress: '198.41.0.7' });
    const impostor = await startUpstream('http', {
      reply: Buffer.from('HTTP/1.1 200 OK\r\n\r\n'),
      afterReply: (socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n'),
    });
    expect(await check(trusting, through('http', impostor.port))).toEqual({ outcome: 'failed', reason: 'echo-tls' });
  });
});

describe('the latency', () => {
  it('is what a customer waits for the first byte, with the time to connect', async () => {
    const upstream = await startUpstream('socks5');
    const distant = await listening((socket) => {
      socket.on('error', () => {});
      setTimeout(
        () => socket.pipe(connect(upstream.port, '127.0.0.1').on('error', () => socket.destroy())).pipe(socket),
        250,
      );
    });
    const { latencyMs } = await check(await start([(await openEcho()).url]), through('socks5', distant));
    expect(latencyMs).toBeGreaterThan(240);
  });
});

async function listenTls(): Promise<number> {
  const tls = createTlsServer({ cert, key }, (socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(tls, 'listening');
  stops.push(() => tls.close());
  return (tls.address() as AddressInfo).port;
}

describe.each(kinds)('an exit through a %s upstream that carries the echo alone', (kind) => {
  const customers = ['127.0.1.1', '127.0.2.1', '127.0.3.1'];
  const unroutable = '192.0.2.1:443';
  const alone = { outcome: 'failed', reason: 'echo-alone' };
  const works = { outcome: 'ok' };

  /** An upstream that reaches the authorities of a map alone, at these ports. */
  async function startReaching(...reached: [string, number][]) {
    const ports = new Map(reached);
    const route = (authority: string) => {
      const port = ports.get(authority);
      return port === undefined ? undefined : { host: '127.0.0.1', port };
    };
    const upstream = await startUpstream(kind, { route });
    return { exit: through(kind, upstream.port), ports, seen: upstream.seen.targets };
  }

  /** A node whose setting has a destination, by default one that answers, and an exit that reaches nothing but the echo. */
  async function startEchoAlone(destination?: string, limits: GatewaySettings['limits'] = {}) {
    const echo = await openEcho();
    const tlsPort = await listenTls();
    const listed = destination ?? `127.0.0.1:${tlsPort}`;
    const checkDestinations = [parseAuthority(listed)].filter((target) => target !== undefined);
    const harness = await start([echo.url], { allowPrivate: true, checkDestinations, limits });
    const reachingEcho: [string, number] = [`127.0.0.1:${echo.port}`, echo.port];
    const reaching = await startReaching(reachingEcho);
    const connection = harness.control.sell({ exit: reaching.exit });
    const failToReach = async () => {
      for (const host of customers) await socks5Connect(harness.gateway, connection, host, 9);
      await until(() => harness.control.suspectIds.length > 0);
    };
    return { harness, ...reaching, reachingEcho, listed, tlsPort, failToReach };
  }

  it('passes checks until tunnels fail to three networks, and fails them then until it carries more', async () => {
    const { harness, exit, ports, listed, tlsPort, seen, failToReach } = await startEchoAlone();
    expect(await check(harness, exit)).toMatchObject(works);
    await failToReach();
    seen.length = 0;
    expect(await check(harness, exit)).toEqual(alone);
    expect(seen.toSorted()).toEqual([...ports.keys(), listed, '127.0.3.1:9'].toSorted());
    expect(await check(harness, exit)).toEqual(alone);
    ports.set(listed, tlsPort);
    expect(await check(harness, exit)).toMatchObject(works);
    seen.length = 0;
    expect(await check(harness, exit)).toMatchObject(works);
    expect(seen).toHaveLength(1);
  });

  it('works if the destination of a customer accepts a connection, to which nothing is sent', async () => {
    const { harness, exit, ports, failToReach } = await startEchoAlone();
    await failToReach();
    const received: Buffer[] = [];
    let accepted = 0;
    const port = await listening((socket) => {
      accepted += 1;
      socket.on('data', (bytes) => received.push(bytes)).on('end', () => socket.end());
    });
    ports.set('127.0.3.1:9', port);
    expect(await check(harness, exit)).toMatchObject(works);
    expect([accepted, received]).toEqual([1, []]);
  });

  it('is found by the answer through another exit where the node itself reaches nothing', async () => {
    const { harness, exit, reachingEcho, tlsPort, failToReach } = await startEchoAlone(unroutable, {
      echoProbeMs: 1_000,
    });
    await failToReach();
    expect(await check(harness, exit)).toMatchObject(works);
    const other = await startReaching(reachingEcho, [unroutable, tlsPort]);
    const opened = await socks5Connect(harness.gateway, harness.control.sell({ exit: other.exit }), '192.0.2.1', 443);
    expect(opened.reply).toBe(0);
    harness.control.suspectIds.length = 0;
    harness.control.echoAloneIds = [exit.id];
    expect(await check(harness, exit)).toEqual(alone);
  });

  it('stays in doubt in the next run of the node, which has seen no tunnel', async () => {
    const { harness, exit, listed, tlsPort, ports } = await startEchoAlone();
    harness.control.echoAloneIds = [exit.id];
    expect(await check(harness, exit)).toEqual(alone);
    ports.set(listed, tlsPort);
    expect(await check(harness, exit)).toMatchObject(works);
  });

  it('is not at fault without internet, or while the destination is down', async () => {
    const { harness, exit, failToReach } = await startEchoAlone(`127.0.0.1:${await freePort()}`);
    await failToReach();
    expect(await check(harness, exit)).toMatchObject(works);
  });

  it('is not asked for more where the setting is empty', async () => {
    const { harness, exit, failToReach } = await startEchoAlone('');
    await failToReach();
    expect(await check(harness, exit)).toMatchObject(works);
  });
});

async function startWithTunnel(workingMs: number) {
  const limits = { idleUpdateIntervalMs: 20, updateIntervalMs: 20, workingMs };
  const harness = await start([(await openEcho()).url], { limits, allowPrivate: true });
  const port = await listening((socket) => socket.pipe(socket));
  const connections = [local(), local()].map((exit) => harness.control.sell({ exit }));
  for (const connection of connections) await socks5Connect(harness.gateway, connection, '127.0.0.1', port);
  const [lost, other] = connections;
  harness.control.lostExitIds = [lost!.exit.id!];
  return { ...harness, port, lost: lost!, other: other! };
}

describe('a node', () => {
  it('lets no customer reach an echo on a private address', async () => {
    const echo = await openEcho();
    const harness = await start([echo.url]);
    await check(harness, local());
    const connection = harness.control.sell();
    expect((await socks5Connect(harness.gateway, connection, '127.0.0.1', echo.port)).reply).toBe(2);
    expect((await socks5Connect(harness.gateway, connection, 'localhost', echo.port)).reply).toBe(2);
  });

  it('runs a bounded number of checks at once, and skips kinds of exits that it does not know', async () => {
    const echo = await openEcho(() => {});
    const harness = await start([echo.url], { limits: { exitChecksAtOnce: 3 } });
    harness.control.dueExits = [{ kind: 'satellite', id: randomUUID() }, ...Array.from({ length: 20 }, () => local())];
    await until(() => echo.seen.length === 3);
    const { exitChecks } = harness.control.calls;
    await until(() => harness.control.calls.exitChecks > exitChecks + 5);
    expect(echo.seen).toHaveLength(3);
    await untilGauge(harness.gateway, 'gateway_exit_checks_running', 3);
  });

  it('that stops ends its checks', async () => {
    const sockets = new Set<Socket>();
    const port = await listening((socket) =>
      sockets.add(
        socket
          .once('close', () => sockets.delete(socket))
          .on('end', () => socket.end())
          .resume(),
      ),
    );
    const harness = await start([(await openEcho()).url]);
    harness.control.dueExits.push(through('http', port));
    await until(() => sockets.size === 1);
    await harness.gateway.close();
    await expect.poll(() => sockets.size).toBe(0);
  });

  it('makes no checks for a control plane that knows none', async () => {
    const pauses = new HeldTimers(RETRY_MS);
    const harness = await startHarness({ limits: FAST });
    stops.push(() => harness.stop());
    harness.control.dueExits.push(local());
    await until(() => harness.control.calls.hello > 0);
    for (let pause = 0; pause < 5; pause += 1) {
      await until(() => pauses.running > 0);
      pauses.first()();
    }
    expect(harness.control.calls.exitChecks).toBe(0);
  });

  it('ends the connections of exits that the control plane calls lost, and no others', async () => {
    const { lost, other } = await startWithTunnel(0);
    await until(() => lost.isExitLost);
    expect(other.isExitLost).toBe(false);
  });

  it('does not while tunnels through the exit open: it may refuse only the echo', async () => {
    const { control, lost } = await startWithTunnel(defaultLimits.workingMs);
    const before = control.calls.update;
    await until(() => control.calls.update > before + 10);
    expect(lost.isExitLost).toBe(false);
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + defaultLimits.workingMs);
    await until(() => lost.isExitLost);
  });

  it('asks for a check at once when tunnels fail to several networks without a success in between', async () => {
    const harness = await start([(await openEcho()).url], {
      allowPrivate: true,
      limits: { exitChecksPollMs: 600_000 },
    });
    const exit = local();
    const connection = harness.control.sell({ exit });
    const port = await listening((socket) => socket.pipe(socket));
    const closed = await freePort();
    const dial = async (host: string, to = closed) =>
      (await socks5Connect(harness.gateway, connection, host, to)).reply;
    const [first, second, third] = ['127.0.1.1', '127.0.2.1', '127.0.3.1'] as const;
    // The same network again, or a success in between, proves nothing.
    for (const to of [first, '127.0.1.2', first, second]) await dial(to);
    await dial('127.0.0.1', port);
    for (const to of [first, second, '127.0.2.9']) await dial(to);
    expect(harness.control.suspectIds).toEqual([]);
    await dial(third);
    await until(() => harness.control.suspectIds.length > 0);
    for (const to of [first, second, third]) await dial(to);
    expect(harness.control.suspectIds).toEqual([exit.id]);
  });
});

it('the call has room for all checks that run at once', () => {
  const body = { checks: [], suspectIds: [], wanted: 256 };
  expect(checkExits.body.safeParse(body).success).toBe(true);
});
