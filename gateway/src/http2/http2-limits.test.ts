import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import { expect, it, onTestFinished } from 'vitest';
import type { FakeConnection } from '../../test/control-plane.ts';
import { basic, readMetric, untilGauge } from '../../test/gateway-harness.ts';
import { connectTo, frame, openHttp2Client, rawConnect, restOf } from '../../test/http2-client.ts';
import { listenLocally, patternedBytes, until } from '../../test/sockets.ts';
import { openSecureClient, startTlsHarness, type TlsHarness } from '../../test/tls-harness.ts';
import type { Limits } from '../limits.ts';

async function start(limits: Partial<Limits> = {}): Promise<{ harness: TlsHarness; port: number }> {
  const harness = await startTlsHarness({ limits: { loginFailuresPerMinute: 0, ...limits } });
  onTestFinished(() => harness.stop());
  const { port } = await listenLocally((socket) => socket.pipe(socket));
  return { harness, port };
}

async function open({ gateway }: TlsHarness, options: object = {}): Promise<ClientHttp2Session> {
  const session = await openHttp2Client(gateway, options);
  onTestFinished(() => session.destroy());
  return session;
}

function request(session: ClientHttp2Session, port: number, connection?: FakeConnection): ClientHttp2Stream {
  const login = connection && { 'proxy-authorization': basic(connection) };
  const stream = session.request({ ':method': 'CONNECT', ':authority': `127.0.0.1:${port}`, ...login });
  return stream.on('error', () => {}).resume();
}

const closed = (session: ClientHttp2Session) => (session.destroyed ? Promise.resolve() : once(session, 'close'));

it('a client has as many streams at once as it is told, and 10,000 of them open as many tunnels as a connection may have', async () => {
  // Fewer than streams, so that some are refused on a slow machine, too, where the limit of new tunnels a second is never met.
  const { harness, port } = await start({ tunnelsPerConnection: 100 });
  const session = await open(harness);
  const connection = harness.control.sell();
  expect(session.remoteSettings.maxConcurrentStreams).toBe(256);
  const statuses: number[] = [];
  for (let count = 0; count < 10_000; count += 1) {
    const stream = request(session, port, connection);
    stream.once('response', (headers) => statuses.push(headers[':status'] ?? 0));
  }
  await until(() => statuses.length >= 256);
  // Refused ones end, and the client opens the next of those that wait.
  await until(() => session.destroyed || statuses.length >= 500);
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(100);
  expect(await readMetric(harness.gateway, 'gateway_tunnels')).toBeLessThanOrEqual(100);
  session.destroy();
  expect(await untilGauge(harness.gateway, 'gateway_tunnels', 0)).toBe(0);
});

it('streams that are opened and reset at once end the connection', async () => {
  const { harness, port } = await start();
  const session = await open(harness);
  const connection = harness.control.sell();
  let sent = 0;
  while ((await readMetric(harness.gateway, 'gateway_client_sockets')) > 0) {
    for (let count = 0; count < 100 && !session.destroyed; count += 1, sent += 1)
      request(session, port, connection).close(constants.NGHTTP2_CANCEL);
    await new Promise(setImmediate);
  }
  expect(sent).toBeGreaterThan(256);
  await untilGauge(harness.gateway, 'gateway_tunnels', 0);
});

const padding = 255;
/** Each begins after the frames of `rawConnect`: stream 1 is open. */
const FLOODS = [
  ['pings', frame(6, 0, 0, Buffer.alloc(8))],
  ['answers to pings', frame(6, 1, 0, Buffer.alloc(8))],
  ['settings', frame(4, 0, 0)],
  ['answers to settings', frame(4, 1, 0)],
  ['frames that are none', frame(0, 0xff, 0)],
  ['frames of unknown kinds', frame(0x42, 0, 0, Buffer.alloc(10))],
  ['empty data', frame(0, 0, 1)],
  ['padding', frame(0, 8, 1, Buffer.concat([Buffer.from([padding]), Buffer.alloc(padding)]))],
  ['updates of the window', frame(8, 0, 0, Buffer.from([0, 0, 0, 1]))],
  ['updates of the window of a stream', frame(8, 0, 1, Buffer.from([0, 0, 0, 1]))],
  ['priorities', frame(2, 0, 1001, Buffer.from([0, 0, 0, 3, 1]))],
  ['resets', frame(3, 0, 1, Buffer.from([0, 0, 0, 8]))],
  ['GOAWAY', frame(7, 0, 0, Buffer.alloc(8))],
  ['continuations', frame(9, 0, 1, Buffer.alloc(1))],
] as const;

it.each(FLOODS.flatMap(([name, flood]) => [true, false].map((isReading) => [name, isReading, flood] as const)))(
  'a flood of %s ends the connection of a client with a password, whether it reads (%s) or not, and others do not feel it',
  async (_name, isReading, flood) => {
    const { harness, port } = await start();
    const socket = await openSecureClient(harness.gateway, { ALPNProtocols: ['h2'] });
    socket.write(rawConnect(harness.control.sell(), port));
    expect(await untilGauge(harness.gateway, 'gateway_tunnels', 1)).toBe(1);
    const other = await open(harness);
    if (isReading) socket.resume();
    else socket.pause();
    const piece = Buffer.concat(Array.from({ length: 2_000 }, () => flood));
    // Nothing else ends it: a tunnel is open, and time plays no part.
    while (!socket.destroyed) {
      if (!socket.writableNeedDrain) socket.write(piece);
      await new Promise(setImmediate);
    }
    expect(await new Promise<boolean>((fulfil) => other.ping((error) => fulfil(!error)))).toBe(true);
    other.destroy();
    await untilGauge(harness.gateway, 'gateway_client_sockets', 0);
    await untilGauge(harness.gateway, 'gateway_tunnels', 0);
  },
);

it('what ends a client is counted', async () => {
  const { harness, port } = await start({ http2OverheadBurst: 10_000, http2OverheadCheckMs: 10 });
  const socket = await openSecureClient(harness.gateway, { ALPNProtocols: ['h2'] });
  socket.resume().write(rawConnect(harness.control.sell(), port));
  await untilGauge(harness.gateway, 'gateway_tunnels', 1);
  socket.write(Buffer.concat(Array.from({ length: 30_000 }, () => frame(8, 0, 0, Buffer.from([0, 0, 0, 1])))));
  await untilGauge(harness.gateway, 'gateway_client_sockets', 0);
  expect(await readMetric(harness.gateway, 'gateway_http2_floods_total', { kind: 'overhead' })).toBe(1);
});

it('downloads and uploads never meet the limit of what is unpaid: their updates of windows, heads of frames and ends', async () => {
  const { harness } = await start({ http2OverheadPerSecond: 1, http2OverheadBurst: 20_000, http2OverheadCheckMs: 5 });
  const body = patternedBytes(30_000_000);
  const { port } = await listenLocally((socket) => void socket.once('data', () => socket.end(body)).resume());
  const session = await open(harness);
  const { stream } = await connectTo(session, port, harness.control.sell());
  // Small frames have the most that is unpaid: 9 bytes of 100.
  for (let sent = 0; sent < 2_000_000; sent += 100) {
    stream.write(body.subarray(sent, sent + 100));
    if (stream.writableNeedDrain) await once(stream, 'drain');
  }
  const { bytes, code } = await restOf(stream);
  expect([bytes.length, code]).toEqual([body.length, 0]);
  expect(session.destroyed).toBe(false);
  expect(await readMetric(harness.gateway, 'gateway_http2_floods_total')).toBe(0);
});

it('pings as usual programs send them are answered, however many in the life of a client', async () => {
  const { harness } = await start({ http2PingsBurst: 5, http2PingsPerSecond: 1_000 });
  const session = await open(harness);
  for (let count = 0; count < 20; count += 1) {
    await new Promise<void>((fulfil, reject) => session.ping((error) => (error ? reject(error) : fulfil())));
    await new Promise((fulfil) => setTimeout(fulfil, 2));
  }
  expect(session.destroyed).toBe(false);
});

it('a client without a password has the time of a handshake, whatever it sends', async () => {
  const { harness, port } = await start({ handshakeMs: 500 });
  const session = await open(harness);
  expect((await connectTo(session, port)).status).toBe(407);
  expect(await readMetric(harness.gateway, 'gateway_half_open')).toBe(1);
  await closed(session);
  expect(await untilGauge(harness.gateway, 'gateway_client_sockets', 0)).toBe(0);
});

it('a client with a password has a minute between its streams, and its end need not come', async () => {
  const { harness, port } = await start({ handshakeMs: 500, nextRequestMs: 700 });
  const session = await open(harness);
  const { stream } = await connectTo(session, port, harness.control.sell());
  expect(await readMetric(harness.gateway, 'gateway_half_open')).toBe(0);
  stream.end('late');
  await restOf(stream);
  await closed(session);
  expect(await untilGauge(harness.gateway, 'gateway_client_sockets', 0)).toBe(0);
});

it('wrong passwords are tried one after the other on one connection', async () => {
  const { harness, port } = await start();
  const session = await open(harness);
  const { username } = harness.control.sell();
  const before = harness.control.calls.authorize;
  const statuses = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const wrong = { username, password: `wrong-${index % 2}` };
      return (await connectTo(session, port, wrong)).status;
    }),
  );
  expect(statuses.every((status) => status === 407)).toBe(true);
  // In parallel, none would know that another has been refused.
  expect(harness.control.calls.authorize - before).toBe(2);
});

it('the limit of tunnels of the connection holds for streams', async () => {
  const { harness, port } = await start({ tunnelsPerConnection: 2 });
  const session = await open(harness);
  const connection = harness.control.sell();
  const statuses = [];
  for (let count = 0; count < 4; count += 1) statuses.push((await connectTo(session, port, connection)).status);
  expect(statuses).toEqual([200, 200, 429, 429]);
});

it('a gateway that stops tells clients to open no more streams, and lets tunnels finish', async () => {
  const { harness, port } = await start();
  const [session, idle] = [await open(harness), await open(harness)];
  const { stream } = await connectTo(session, port, harness.control.sell());
  const goaway = once(session, 'goaway');
  const stopped = harness.gateway.close({ drainMs: 60_000 });
  await goaway;
  await closed(idle);
  stream.end('the last words');
  expect((await restOf(stream)).bytes.toString()).toBe('the last words');
  expect(await stopped).toBe(true);
});

it('a gateway that ends resets the streams that are left', async () => {
  const { harness, port } = await start();
  const session = await open(harness);
  const { stream } = await connectTo(session, port, harness.control.sell());
  const rest = restOf(stream);
  await harness.gateway.close({ drainMs: 0 });
  expect((await rest).code).not.toBe(0);
  await closed(session);
});

it('a connection that its owner ends resets its streams, and no others', async () => {
  const { harness, port } = await start();
  const [one, other] = [harness.control.sell(), harness.control.sell()];
  const session = await open(harness);
  const ended = await connectTo(session, port, one);
  const kept = await connectTo(session, port, other);
  const rest = restOf(ended.stream);
  one.state = 'ended';
  expect((await rest).code).toBe(constants.NGHTTP2_CONNECT_ERROR);
  kept.stream.end('kept');
  expect((await restOf(kept.stream)).bytes.toString()).toBe('kept');
});
