import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FakeConnection } from '../../test/control-plane.ts';
import { basic, type Harness, openClient, startHarness, untilGauge } from '../../test/gateway-harness.ts';
import { listenLocally, patternedBytes, Reader, until } from '../../test/sockets.ts';

const MIB = 1_048_576;
const FLUSH_MS = 300;

/** An origin that waits for a request and then does as it is told. */
async function originThat(acts: (origin: Reader) => unknown): Promise<number> {
  const { port } = await listenLocally((socket) => {
    const origin = new Reader(socket);
    void origin.peekUntil('\r\n\r\n').then(() => acts(origin));
  });
  return port;
}

describe('absolute-form requests that go wrong', () => {
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
  it.each(begun)('are cut at once when the origin ends a body with %s early', async (_name, field, body) => {
    const port = await originThat(({ socket }) => socket.end(`HTTP/1.1 200 OK\r\n${field}\r\n${body}`));
    const client = await openClient(harness.gateway.port);
    client.socket.write(get(port));
    const { bytes } = await client.rest();
    expect(bytes.toString()).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*begun(\r\n)?$/);
    client.socket.end();
    await noneOpen();
  });

  it('are cut at once when the origin ends early and takes no more of the request', async () => {
    const port = await originThat(({ socket }) => {
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

  it.each(begun)('never look complete to HTTP/1.0 when a body with %s ends early', async (name, field, body) => {
    const port = await originThat(({ socket }) => socket.end(`HTTP/1.1 200 OK\r\n${field}\r\n${body}`));
    const client = await openClient(harness.gateway.port);
    client.socket.write(get(port).replace('HTTP/1.1', 'HTTP/1.0'));
    await client.takeUntil('begun');
    // Without chunks only the end of the connection says where the body ends.
    expect((await client.rest()).end).toBe(name === 'chunks' ? 'reset' : 'ended');
    client.socket.destroy();
    await noneOpen();
  });

  it('keep the connection after a 502 when they promise so', async () => {
    const broken = await originThat(({ socket }) => socket.resetAndDestroy());
    const good = await originThat(({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
    const client = await openClient(harness.gateway.port);
    client.socket.write(get(broken));
    expect(await client.takeUntil('early.\n')).toMatch(/^HTTP\/1.1 502 [^]*Connection: keep-alive/);
    client.socket.write(get(good));
    expect(await client.takeUntil('ok')).toContain(' 200 OK');
    client.socket.destroy();
    await noneOpen();
  });

  it('get their 502 also when the client sends its whole request before it reads', async () => {
    const port = await originThat(({ socket }) => socket.resetAndDestroy());
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
    'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n',
    'HTTP/1.1 101 Switching\r\nContent-Length: 0\r\n\r\n',
    // Node's parser lets these pass, and its writer throws.
    'HTTP/1.1 000 None\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 200 a\u0001b\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 200 a\0b\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 200 a\u007f\r\nContent-Length: 0\r\n\r\n',
  ])('say so when the origin answers %j', async (garbage) => {
    const port = await originThat(({ socket }) => socket.write(garbage));
    const client = await openClient(harness.gateway.port);
    client.socket.write(get(port, 'Connection: close'));
    const text = (await client.rest()).bytes.toString();
    expect(text).toMatch(/^HTTP\/1.1 502 [^]*Proxy-Status: gateway; error=http_protocol_error\r\n/);
    expect(text).toContain('The destination sent a response that is not HTTP.');
    client.socket.destroy();
  });

  it('get no bytes of a reason phrase that no answer may have when another protocol begins', async () => {
    const port = await originThat(({ socket }) =>
      socket.write('HTTP/1.1 101 a\u0001b\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n'),
    );
    const client = await openClient(harness.gateway.port);
    client.socket.write(get(port, 'Connection: Upgrade', 'Upgrade: chat'));
    expect((await client.rest()).bytes.toString()).toMatch(/^HTTP\/1.1 502 /);
    client.socket.destroy();
    await noneOpen();
  });

  it('get 400 for an upgrade with a body', async () => {
    const client = await openClient(harness.gateway.port);
    client.socket.write(`${get(1, 'Connection: Upgrade', 'Upgrade: h2c', 'Content-Length: 4')}body`);
    const { bytes, end } = await client.rest();
    expect(bytes.toString()).toMatch(/^HTTP\/1.1 400 [^]*Connection: close[^]*must have no body/);
    expect(end).toBe('ended');
    client.socket.destroy();
    await noneOpen();
  });

  it.each([
    ['an answer', 'HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n', []],
    [
      'what comes after an upgrade',
      'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n',
      ['Connection: Upgrade', 'Upgrade: chat'],
    ],
  ])('leave nothing behind when money ends and the client does not take %s', async (_name, answer, fields) => {
    const port = await originThat(({ socket }) =>
      socket.write(Buffer.concat([Buffer.from(answer), Buffer.alloc(200_000)])),
    );
    connection.allowedBytes = 100_000;
    const client = await openClient(harness.gateway.port);
    client.socket.pause();
    client.socket.write(get(port, ...fields));
    await until(() => connection.endedAtBytes === 100_000);
    expect(await noneOpen()).toBe(0);
    client.socket.destroy();
  });

  it('keep what is queued behind them out of memory', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heapBytes = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    let isAsked = false;
    const port = await originThat(() => (isAsked = true));
    const client = await openClient(harness.gateway.port);
    client.socket.write(get(port));
    await until(() => isAsked);
    const queued = Buffer.from('GET http://a.test/ HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(180_000));
    const before = heapBytes();
    client.socket.write(queued);
    // What the gateway reads, it has read when the heap does not grow any more.
    let now = before;
    for (let last = 0; now - last > 100_000;) {
      last = now;
      await new Promise((fulfil) => setTimeout(fulfil, 200));
      now = heapBytes();
    }
    expect(now - before).toBeLessThan(8 * MIB);
    client.socket.resetAndDestroy();
  });

  it('pass a body that was queued behind another request unchanged', async () => {
    const bodies: Buffer[] = [];
    const body = patternedBytes(300_000);
    const port = await originThat(async (origin) => {
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
