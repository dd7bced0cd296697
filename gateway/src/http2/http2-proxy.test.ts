import { once } from 'node:events';
import { constants } from 'node:http2';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { basic, readMetric, untilGauge } from '../../test/gateway-harness.ts';
import { connectTo, frame, openHttp2Client, rawConnect, restOf, send } from '../../test/http2-client.ts';
import { listenLocally, patternedBytes, Reader, sendUntilUnread, sha256, until } from '../../test/sockets.ts';
import { openSecureClient, startTlsHarness, type TlsHarness } from '../../test/tls-harness.ts';
import { resetSocket } from '../pipe/handle.ts';

const { NGHTTP2_CONNECT_ERROR, NGHTTP2_CANCEL } = constants;

let harness: TlsHarness;
let echo: { port: number };
beforeAll(async () => {
  harness = await startTlsHarness({ limits: { loginFailuresPerMinute: 0 } });
  echo = await listenLocally((socket) => socket.pipe(socket));
});
afterAll(() => harness.stop());

const open = async () => {
  const session = await openHttp2Client(harness.gateway);
  onTestFinished(() => session.destroy());
  return session;
};

describe('CONNECT over HTTP/2', () => {
  afterEach(async () => {
    await untilGauge(harness.gateway, 'gateway_client_sockets', 0);
    await untilGauge(harness.gateway, 'gateway_tunnels', 0);
  });

  it('carries many tunnels on one connection, each counted to the byte', async () => {
    const [one, other] = [harness.control.sell(), harness.control.sell()];
    const session = await open();
    const sent = patternedBytes(500_000);
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const { stream, status } = await connectTo(session, echo.port, index % 2 === 0 ? one : other);
        expect(status).toBe(200);
        stream.end(sent);
        const { bytes, code } = await restOf(stream);
        expect(sha256(bytes)).toBe(sha256(sent));
        expect(code).toBe(0);
      }),
    );
    await until(() => one.usedBytes === 20 * sent.length && other.usedBytes === 20 * sent.length);
    expect(one.uploadedBytes).toBe(10 * sent.length);
    expect(await readMetric(harness.gateway, 'gateway_client_sockets')).toBe(1);
    session.destroy();
  });

  it('passes a half-close of either side on, while the other goes on', async () => {
    const { port } = await listenLocally((socket) => {
      socket.end('the first word');
      const received: Buffer[] = [];
      socket
        .on('data', (bytes) => received.push(bytes))
        .on('end', () => heard.push(Buffer.concat(received).toString()));
    });
    const heard: string[] = [];
    const session = await open();
    const { stream } = await connectTo(session, port, harness.control.sell());
    expect((await restOf(stream)).bytes.toString()).toBe('the first word');
    stream.end('and the last');
    await until(() => heard.includes('and the last'));
    session.destroy();
  });

  it('resets the stream alone after a reset of the destination', async () => {
    const { port } = await listenLocally((socket) => socket.once('data', () => resetSocket(socket)));
    const session = await open();
    const connection = harness.control.sell();
    const neighbour = await connectTo(session, echo.port, connection);
    const { stream } = await connectTo(session, port, connection);
    stream.write('begin');
    expect((await restOf(stream)).code).toBe(NGHTTP2_CONNECT_ERROR);
    neighbour.stream.end('still there');
    expect((await restOf(neighbour.stream)).bytes.toString()).toBe('still there');
    session.destroy();
  });

  it('resets the destination after a reset of the stream, also with the code of no error', async () => {
    for (const code of [NGHTTP2_CANCEL, 0]) {
      const origins: Reader[] = [];
      const { port } = await listenLocally((socket) => void origins.push(new Reader(socket)));
      const socket = await openSecureClient(harness.gateway, { ALPNProtocols: ['h2'] });
      socket.resume().write(rawConnect(harness.control.sell(), port));
      socket.write(frame(0, 0, 1, Buffer.from('a part')));
      await until(() => origins[0]?.receivedBytes === 6);
      socket.write(frame(3, 0, 1, Uint8Array.of(0, 0, 0, code)));
      expect((await origins[0]!.rest()).end).toBe('reset');
      socket.destroy();
    }
  });

  it('resets all destinations when the connection is lost', async () => {
    const origins: Reader[] = [];
    const { port } = await listenLocally((socket) => void origins.push(new Reader(socket)));
    const connection = harness.control.sell();
    const session = await open();
    for (let count = 0; count < 3; count += 1) await connectTo(session, port, connection);
    session.socket.destroy();
    session.destroy();
    for (const origin of origins) expect((await origin.rest()).end).toBe('reset');
    expect(await untilGauge(harness.gateway, 'gateway_http2_clients', 0)).toBe(0);
  });

  it('delivers exactly what is paid, and then a reset', async () => {
    const connection = harness.control.sell({ allowedBytes: 100_000 });
    const { port } = await listenLocally((socket) => socket.write(patternedBytes(1_000_000)));
    const session = await open();
    const { stream } = await connectTo(session, port, connection);
    const { bytes, code } = await restOf(stream);
    expect({ length: bytes.length, code }).toEqual({ length: 100_000, code: NGHTTP2_CONNECT_ERROR });
    await until(() => connection.usedBytes === 100_000);
    session.destroy();
  });

  it('a stream that is not read stops no other, in both directions', async () => {
    const connection = harness.control.sell();
    const origins: Socket[] = [];
    const { port } = await listenLocally((socket) => void origins.push(socket.pause()));
    const session = await open();
    const before = harness.gateway.metrics.totalBytes();
    const download = await connectTo(session, port, connection);
    await until(() => origins.length === 1);
    download.stream.pause();
    // It ends only if the gateway stops reading.
    await sendUntilUnread(origins[0]!, () => harness.gateway.metrics.totalBytes() - before);
    const upload = await connectTo(session, port, connection);
    const piece = Buffer.alloc(64 * 1024);
    while (upload.stream.write(piece) || upload.stream.writableLength < 8_000_000) await new Promise(setImmediate);
    const neighbour = await connectTo(session, echo.port, connection);
    neighbour.stream.end(patternedBytes(2_000_000));
    expect((await restOf(neighbour.stream)).bytes.length).toBe(2_000_000);
    // Held in the gateway: less than two windows; in the sockets between: what the system keeps.
    expect(upload.stream.writableLength).toBeGreaterThan(0);
    session.destroy();
  });

  it('takes what a client sends in frames of one byte while nothing is read', async () => {
    let origin: Socket | undefined;
    const { port } = await listenLocally((socket) => (origin = socket.pause()));
    const session = await open();
    const { stream } = await connectTo(session, port, harness.control.sell());
    await until(() => origin !== undefined);
    const total = 20_000;
    for (let index = 0; index < total; index += 1) stream.write(Uint8Array.of(index & 0xff));
    stream.end();
    const received: Buffer[] = [];
    origin!.on('data', (bytes) => received.push(bytes)).resume();
    await once(origin!, 'end');
    const bytes = Buffer.concat(received);
    expect(bytes.length).toBe(total);
    expect(bytes.every((byte, index) => byte === (index & 0xff))).toBe(true);
    session.destroy();
  });

  it('answers each stream by itself: 407, 403, 502, 400', async () => {
    const connection = harness.control.sell();
    const session = await open();
    const wrong = await connectTo(session, echo.port, { ...connection, password: 'wrong' });
    expect(wrong.status).toBe(407);
    expect(wrong.headers['proxy-authenticate']).toBe('Basic realm="proxy", charset="UTF-8"');
    expect((await connectTo(session, echo.port)).status).toBe(407);
    expect((await connectTo(session, 25, connection)).status).toBe(403);
    const unknown = await connectTo(session, 80, connection, 'nobody.invalid');
    expect(unknown.headers['proxy-status']).toBe('gateway; error=dns_error');
    expect((await restOf(unknown.stream)).bytes.toString()).toBe('The host name has no address.\n');
    const malformed = { ':method': 'CONNECT', ':authority': 'no-port' };
    expect((await send(session, malformed)).status).toBe(400);
    const { stream, status } = await connectTo(session, echo.port, connection);
    expect(status).toBe(200);
    stream.end('x');
    expect((await restOf(stream)).bytes.toString()).toBe('x');
    session.destroy();
  });

  it('aborts the dial of a stream that is reset', async () => {
    const connection = harness.control.sell();
    const session = await open();
    const before = await readMetric(harness.gateway, 'gateway_tunnel_ends_total', { reason: 'client-failed' });
    // Nobody answers there (RFC 5737), and where the system says so at once, the tunnel ends by itself.
    const stream = session.request({
      ':method': 'CONNECT',
      ':authority': '192.0.2.1:9',
      'proxy-authorization': basic(connection),
    });
    stream.on('error', () => {});
    await until(() => connection.state !== undefined);
    stream.close(NGHTTP2_CANCEL);
    await untilGauge(harness.gateway, 'gateway_tunnels', 0);
    const after = await readMetric(harness.gateway, 'gateway_tunnel_ends_total', { reason: 'client-failed' });
    expect(after - before).toBeLessThanOrEqual(1);
    session.destroy();
  });
});
