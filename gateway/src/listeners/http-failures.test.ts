/** @module-tag thorough */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FakeConnection } from '../../test/control-plane.ts';
import { basic, type Harness, openClient, startHarness, untilGauge } from '../../test/gateway-harness.ts';
import { listenLocally, patternedBytes, Reader, until } from '../../test/sockets.ts';

const MIB = 1_048_576;
const FLUSH_MS = 300;

/** An origin that runs an action after it has received a request. */
async function startOrigin(action: (origin: Reader) => unknown): Promise<number> {
  const { port } = await listenLocally((socket) => {
    const origin = new Reader(socket);
    void origin.peekUntil('\r\n\r\n').then(() => action(origin));
  });
  return port;
}

describe('failures of absolute-form requests:', () => {
  let harness: Harness;
  let connection: FakeConnection;

  beforeAll(async () => {
    harness = await startHarness({ limits: { lingerMs: 200, flushMs: FLUSH_MS, updateIntervalMs: 20 } });
  });
  beforeEach(() => {
    connection = harness.control.sell();
  });
  afterAll(() => harness.stop());

  const head = (line: string, ...fields: string[]) =>
    [line, 'Host: x', `Proxy-Authorization: ${basic(connection)}`, ...fields, '', ''].join('\r\n');
  const get = (port: number, ...fields: string[]) => head(`GET http://127.0.0.1:${port}/ HTTP/1.1`, ...fields);
  const noneOpen = () => untilGauge(harness.gateway, 'gateway_client_sockets', 0);

  const begun: [string, string, string][] = [
    ['a length', 'Content-Length: 10\r\n', 'begun'],
    ['chunks', 'Transfer-Encoding: chunked\r\n', '5\r\nbegun\r\n'],
  ];
  it.each(begun)('the response is closed when the origin ends a body with %s early', async (_name, field, body) => {
    const port = await startOrigin(({ socket }) => socket.end(`HTTP/1.1 200 OK\r\n${field}\r\n${body}`));
    const client = await openClient(harness.gateway.port);
    client.socket.write(get(port));
    const { bytes } = await client.rest();
    expect(bytes.toString()).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*begun(\r\n)?$/);
    client.socket.end();
    await noneOpen();
  });

  it('the response is closed when the origin ends early and stops reading the request', async () => {
    const port = await startOrigin(({ socket }) => {
      socket.pause();
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nbegun');
    });
    const client = await openClient(harness.gateway.port);
    client.socket.write(head(`POST http://127.0.0.1:${port}/ HTTP/1.1`, `Content-Length: ${64 * MIB}`));
    client.socket.write(Buffer.alloc(32 * MIB));
    expect(await client.takeUntil('begun')).toContain(' 200 OK');
    await client.rest();
    client.socket.destroy();
    await noneOpen();
  });

  it.each(begun)('a body with %s that ends early never looks complete to HTTP/1.0', async (name, field, body) => {
    const port = await startOrigin(({ socket }) => socket.end(`HTTP/1.1 200 OK\r\n${field}\r\n${body}`));
    const client = await openClient(harness.gateway.port);
    client.socket.write(get(port).replace('HTTP/1.1', 'HTTP/1.0'));
    await client.takeUntil('begun');
    // HTTP/1.0 gets no chunks, so only the end of the connection marks the end of the body.
    expect((await client.rest()).end).toBe(name === 'chunks' ? 'reset' : 'ended');
    client.socket.destroy();
    await noneOpen();
  });

  it('the connection stays open after a 502 with keep-alive', async () => {
    const broken = await startOrigin(({ socket }) => socket.resetAndDestroy());
    const good = await startOrigin(({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
    const client = await openClient(harness.gateway.port);
    client.socket.write(get(broken));
    expect(await client.takeUntil('early.\n')).toMatch(/^HTTP\/1.1 502 [^]*Connection: keep-alive/);
    client.socket.write(get(good));
    expect(await client.takeUntil('ok')).toContain(' 200 OK');
    client.socket.destroy();
    await noneOpen();
  });

  it('a client that sends its whole request before it reads still receives the 502', async () => {
    const port = await startOrigin(({ socket }) => socket.resetAndDestroy());
    const patient = await startHarness({ limits: { lingerMs: 15_000 } });
    connection = patient.control.sell();
    const client = await openClient(patient.gateway.port);
    client.socket.pause();
    client.socket.write(head(`POST http://127.0.0.1:${port}/ HTTP/1.1`, `Content-Length: ${8 * MIB}`));
    await new Promise((fulfil) => client.socket.write(Buffer.alloc(8 * MIB), fulfil));
    client.socket.resume();
    const { bytes, end } = await client.rest();
    expect(bytes.toString()).toMatch(/^HTTP\/1.1 502 [^]*Connection: close[^]*closed the connection early/);
    expect(end).toBe('ended');
    client.socket.destroy();
    await untilGauge(patient.gateway, 'gateway_client_sockets', 0);
    await patient.stop();
  });

  it.each([
    'no http at all\r\n\r\n',
    'HTTP/1.1 abc\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: x\r\nContent-Length: 2\r\n\r\n',
    'HTTP/1.1 101 Switching\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 000 None\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n',
  ])('an invalid response of the origin gets 502: %j', async (garbage) => {
    const port = await startOrigin(({ socket }) => socket.write(garbage));
    const client = await openClient(harness.gateway.port);
    client.socket.write(get(port, 'Connection: close'));
    const text = (await client.rest()).bytes.toString();
    expect(text).toMatch(/^HTTP\/1.1 502 [^]*Proxy-Status: gateway; error=http_protocol_error\r\n/);
    expect(text).toContain('The destination sent a response that is not HTTP.');
    client.socket.destroy();
  });

  it('an invalid reason phrase of an upgrade response is forwarded without its control characters', async () => {
    const port = await startOrigin(({ socket }) =>
      socket.write('HTTP/1.1 101 a\u0001b\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n'),
    );
    const client = await openClient(harness.gateway.port);
    client.socket.write(get(port, 'Connection: Upgrade', 'Upgrade: chat'));
    expect(await client.takeUntil('\r\n')).toBe('HTTP/1.1 101 a b\r\n');
    client.socket.resetAndDestroy();
    await noneOpen();
  });

  it.each([
    ['a response', 'HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n', []],
    [
      'data after an upgrade',
      'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n',
      ['Connection: Upgrade', 'Upgrade: chat'],
    ],
  ])('nothing stays open when the credit ends and the client does not read %s', async (_name, responseHead, fields) => {
    const port = await startOrigin(({ socket }) =>
      socket.write(Buffer.concat([Buffer.from(responseHead), Buffer.alloc(200_000)])),
    );
    connection.allowedBytes = 100_000;
    const client = await openClient(harness.gateway.port);
    client.socket.pause();
    client.socket.write(get(port, ...fields));
    await until(() => connection.endedAtBytes === 100_000);
    expect(await noneOpen()).toBe(0);
    client.socket.destroy();
  });

  it('pipelined requests are not buffered in memory', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heapBytes = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    let hasRequest = false;
    const port = await startOrigin(() => (hasRequest = true));
    const client = await openClient(harness.gateway.port);
    client.socket.write(get(port));
    await until(() => hasRequest);
    const queued = Buffer.from('GET http://a.test/ HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(180_000));
    const before = heapBytes();
    client.socket.write(queued);
    // When the heap stops growing, the gateway has read all that it will read.
    let now = before;
    for (let last = 0; now - last > 100_000;) {
      last = now;
      await new Promise((fulfil) => setTimeout(fulfil, 200));
      now = heapBytes();
    }
    expect(now - before).toBeLessThan(8 * MIB);
    client.socket.resetAndDestroy();
  });

  it('a body of a pipelined request is forwarded unchanged', async () => {
    const bodies: Buffer[] = [];
    const body = patternedBytes(300_000);
    const port = await startOrigin(async (origin) => {
      const length = Number(/content-length: (\d+)/i.exec(await origin.takeUntil('\r\n\r\n'))?.[1] ?? 0);
      bodies.push(await origin.take(length));
      origin.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
    const client = await openClient(harness.gateway.port);
    const post = head(`POST http://127.0.0.1:${port}/ HTTP/1.1`, `Content-Length: ${body.length}`);
    client.socket.write(Buffer.concat([Buffer.from(get(port)), Buffer.from(post), body, Buffer.from(get(port))]));
    await until(() => bodies.length === 3);
    expect(bodies.map(({ length }) => length)).toEqual([0, body.length, 0]);
    expect(bodies[1]!.equals(body)).toBe(true);
    client.socket.destroy();
  });
});
