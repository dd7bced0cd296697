import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { acceleratorFile } from '../../test/accelerator.ts';
import { basic, type Harness, openClient, readMetric, socks5Greeting, untilGauge } from '../../test/gateway-harness.ts';
import { listenLocally, patternedBytes, Reader, sendUntilUnread, sha256, until } from '../../test/sockets.ts';
import {
  connectRequest,
  openSecureClient,
  openSecureTunnel,
  startTlsHarness,
  type TlsHarness,
} from '../../test/tls-harness.ts';
import { resetSocket } from '../pipe/handle.ts';

/** The start of a ClientHello: the header of a record of 512 bytes. */
const HALF_HELLO = Buffer.from('1603010200010001fc0303', 'hex');

describe('an https proxy', () => {
  let harness: TlsHarness;
  let echo: { port: number };
  const warnings: string[] = [];
  beforeAll(async () => {
    const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
    harness = await startTlsHarness({ log });
    echo = await listenLocally((socket) => socket.pipe(socket));
  });
  afterAll(() => harness.stop());

  const refusals = (reason: string) => readMetric(harness.gateway, 'gateway_refusals_total', { reason });

  it('carries a tunnel of CONNECT, counted to the byte without what TLS adds', async () => {
    const connection = harness.control.sell();
    const client = await openSecureTunnel(harness, connection, echo.port);
    const sent = patternedBytes(3_000_000);
    client.socket.write(sent);
    const received = await client.take(sent.length);
    expect(sha256(received)).toBe(sha256(sent));
    client.socket.end();
    expect((await client.rest()).end).toBe('ended');
    await until(() => connection.usedBytes === 2 * sent.length);
    expect(connection.uploadedBytes).toBe(sent.length);
    await untilGauge(harness.gateway, 'gateway_client_sockets', 0);
  });

  it('serves absolute-form requests on a persistent connection', async () => {
    const connection = harness.control.sell();
    const { port } = await listenLocally((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
    });
    const client = new Reader(await openSecureClient(harness.gateway, { ALPNProtocols: ['http/1.1'] }));
    for (let count = 0; count < 3; count += 1) {
      const login = `Proxy-Authorization: ${basic(connection)}\r\n`;
      client.socket.write(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n${login}\r\n`);
      expect(await client.takeUntil('\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
      expect((await client.take(2)).toString()).toBe('ok');
    }
    client.socket.destroy();
  });

  it('passes each end on, and needs none of the client to close', async () => {
    const connection = harness.control.sell();
    const { port } = await listenLocally((socket) => socket.on('data', (bytes) => socket.end(bytes)));
    const client = await openSecureTunnel(harness, connection, port);
    client.socket.write('one answer');
    const { bytes, end } = await client.rest();
    expect({ text: bytes.toString(), end }).toEqual({ text: 'one answer', end: 'ended' });
    client.socket.end();
    await untilGauge(harness.gateway, 'gateway_tunnels', 0);
  });

  it('resets the client without close_notify after a reset of the destination', async () => {
    const connection = harness.control.sell();
    const { port } = await listenLocally((socket) => {
      socket.once('data', () => {
        socket.write('a part');
        socket.once('data', () => resetSocket(socket));
      });
    });
    const client = await openSecureTunnel(harness, connection, port);
    client.socket.write('begin');
    expect((await client.take(6)).toString()).toBe('a part');
    client.socket.write('go on');
    expect((await client.rest()).end).toBe('reset');
    await untilGauge(harness.gateway, 'gateway_client_sockets', 0);
  });

  it('delivers exactly what is paid, and then a reset', async () => {
    const connection = harness.control.sell({ allowedBytes: 100_000 });
    const { port } = await listenLocally((socket) => socket.write(patternedBytes(1_000_000)));
    const client = await openSecureTunnel(harness, connection, port);
    const { bytes, end } = await client.rest();
    expect({ length: bytes.length, end }).toEqual({ length: 100_000, end: 'reset' });
    expect(sha256(bytes)).toBe(sha256(patternedBytes(1_000_000).subarray(0, 100_000)));
    await until(() => connection.usedBytes === 100_000);
  });

  it('reads no more of a destination than a client reads, and ends with the client', async () => {
    const connection = harness.control.sell();
    let origin: Socket | undefined;
    const { port } = await listenLocally((socket) => (origin = socket));
    const client = await openSecureTunnel(harness, connection, port);
    client.socket.pause();
    await until(() => origin !== undefined);
    const before = harness.gateway.metrics.totalBytes();
    // It ends only if the gateway stops reading.
    await sendUntilUnread(origin!, () => harness.gateway.metrics.totalBytes() - before);
    client.socket.destroy();
    expect(await untilGauge(harness.gateway, 'gateway_tunnels', 0)).toBe(0);
  });

  it.each([
    ['a wrong password', (name: string) => basic({ username: name, password: 'wrong' }), 407],
    ['no password', () => undefined, 407],
  ])('answers %s as the plain port does', async (_name, login, status) => {
    const { username } = harness.control.sell();
    const value = login(username);
    const client = new Reader(await openSecureClient(harness.gateway));
    const field = value === undefined ? '' : `Proxy-Authorization: ${value}\r\n`;
    client.socket.write(`CONNECT 127.0.0.1:${echo.port} HTTP/1.1\r\nHost: x\r\n${field}\r\n`);
    const { bytes, end } = await client.rest();
    expect(bytes.toString()).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*Proxy-Authenticate: Basic`));
    expect(end).toBe('ended');
  });

  it.each([socks5Greeting, HALF_HELLO])('answers what is not HTTP with 400 inside of TLS', async (bytes) => {
    const client = new Reader(await openSecureClient(harness.gateway));
    client.socket.write(bytes);
    expect((await client.rest()).bytes.toString()).toMatch(/^HTTP\/1.1 400 /);
  });

  it('sends an alert to a client that has no version or protocol in common, and counts it', async () => {
    const before = await refusals('tls-failed');
    for (const [options, message] of [
      [{ maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' }, /alert protocol version/],
      [{ ALPNProtocols: ['imap'] }, /no application protocol/],
    ] as const)
      await expect(openSecureClient(harness.gateway, options as object)).rejects.toThrow(message);
    const client = await openClient(harness.gateway.port);
    client.socket.write(Buffer.concat([Buffer.from('1603010005', 'hex'), Buffer.from('wrong')]));
    expect((await client.rest()).bytes.subarray(0, 3).toString('hex')).toMatch(/^1503/);
    while ((await refusals('tls-failed')) < before + 3) await new Promise(setImmediate);
  });

  it('serves plain clients on the same port', async () => {
    const client = await openClient(harness.gateway.port);
    client.socket.write(connectRequest(harness.control.sell(), echo.port));
    expect(await client.takeUntil('\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /);
    client.socket.destroy();
  });

  it.runIf(acceleratorFile !== undefined)('uses streams beside tunnels of native code', async () => {
    const { gateway, control } = harness;
    while (!(await gateway.metrics.registry.metrics()).includes('gateway_relay_info{relay="splice"} 1')) {
      // A test at the start that takes too long is repeated; one that fails is not, and the log has the reason.
      expect(warnings.filter((line) => /does not work here|cannot be moved/.test(line))).toEqual([]);
      await new Promise(setImmediate);
    }
    const connection = control.sell();
    const secure = await openSecureTunnel(harness, connection, echo.port);
    const plain = await openClient(gateway.port);
    plain.socket.write(connectRequest(connection, echo.port));
    await plain.takeUntil('\r\n\r\n');
    const sent = patternedBytes(300_000);
    const exchange = async (client: Reader) => {
      client.socket.write(sent);
      expect(sha256(await client.take(sent.length))).toBe(sha256(sent));
    };
    for (let count = 0; count < 2; count += 1) {
      await Promise.all([exchange(secure), exchange(plain)]);
      await untilGauge(gateway, 'gateway_accelerated_tunnels', 1);
      expect(await readMetric(gateway, 'gateway_tunnels')).toBe(2);
    }
    // Neither ends with the other.
    secure.socket.destroy();
    await untilGauge(gateway, 'gateway_tunnels', 1);
    await exchange(plain);
    plain.socket.end();
    expect((await plain.rest()).end).toBe('ended');
    await untilGauge(gateway, 'gateway_tunnels', 0);
    await until(() => connection.usedBytes === 10 * sent.length);
  });

  it('takes a hello that comes byte by byte', async () => {
    const socket = (await openClient(harness.gateway.port)).socket;
    socket.removeAllListeners('data');
    socket.setNoDelay(true);
    const slow = new Duplex({
      read: () => {},
      write: (chunk: Buffer, _encoding, done) => {
        for (const byte of chunk) socket.write(Uint8Array.of(byte));
        done();
      },
    });
    socket.on('data', (chunk) => slow.push(chunk));
    const secure = connect({ socket: slow, rejectUnauthorized: false });
    await once(secure, 'secureConnect');
    expect(secure.getProtocol()).toBe('TLSv1.3');
    secure.destroy();
    socket.destroy();
  });
});

async function start(limits: object): Promise<TlsHarness> {
  const harness = await startTlsHarness({ limits });
  onTestFinished(() => harness.stop());
  return harness;
}

const half = async (harness: Harness) => {
  const client = await openClient(harness.gateway.port);
  client.socket.write(HALF_HELLO);
  return client;
};

describe('half-open clients of TLS', () => {
  it('are closed at the deadline, in the handshake of TLS and after it', async () => {
    const harness = await start({ handshakeMs: 300 });
    const inside = await half(harness);
    const after = new Reader(await openSecureClient(harness.gateway));
    const reading = new Reader(await openSecureClient(harness.gateway));
    reading.socket.write('CONNECT ');
    expect((await inside.rest()).bytes.length).toBe(0);
    expect((await after.rest()).bytes.length).toBe(0);
    expect((await reading.rest()).bytes.toString()).toMatch(/^HTTP\/1.1 408 /);
    await untilGauge(harness.gateway, 'gateway_client_sockets', 0);
    expect(await readMetric(harness.gateway, 'gateway_refusals_total', { reason: 'handshake-timeout' })).toBe(3);
  });

  it('are evicted by new ones of their network, in the handshake of TLS and after it', async () => {
    const harness = await start({ halfOpenPerNetwork: 4 });
    const clients = [
      await half(harness),
      await half(harness),
      new Reader(await openSecureClient(harness.gateway)),
      new Reader(await openSecureClient(harness.gateway)),
    ];
    await untilGauge(harness.gateway, 'gateway_half_open', 4);
    for (const { socket } of clients) expect(socket.destroyed).toBe(false);
    for (let count = 0; count < 4; count += 1) await openSecureClient(harness.gateway);
    for (const client of clients) expect((await client.rest()).end).toBe('reset');
    expect(await readMetric(harness.gateway, 'gateway_half_open')).toBe(4);
  });

  it('are not half-open any more with a password', async () => {
    const harness = await start({ halfOpenPerNetwork: 2 });
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const connection = harness.control.sell();
    const tunnels = [];
    for (let count = 0; count < 5; count += 1) tunnels.push(await openSecureTunnel(harness, connection, port));
    expect(await readMetric(harness.gateway, 'gateway_half_open')).toBe(0);
    for (const { socket } of tunnels) socket.destroy();
    await untilGauge(harness.gateway, 'gateway_client_sockets', 0);
  });

  it('may begin so many handshakes of TLS at once in each network, and get an alert beyond', async () => {
    const harness = await start({ tlsHandshakesBurst: 2, tlsHandshakesPerSecond: 0 });
    for (let count = 0; count < 2; count += 1) await openSecureClient(harness.gateway);
    await expect(openSecureClient(harness.gateway)).rejects.toThrow(/alert internal error/);
    await openSecureClient(harness.gateway, {}, '127.0.0.2');
    const refused = await readMetric(harness.gateway, 'gateway_refusals_total', { reason: 'too-many-tls-handshakes' });
    expect(refused).toBe(1);
  });

  it('do not hold up the end of the gateway', async () => {
    const harness = await startTlsHarness();
    const inside = await half(harness);
    const after = new Reader(await openSecureClient(harness.gateway));
    await untilGauge(harness.gateway, 'gateway_half_open', 2);
    await harness.stop();
    expect((await inside.rest()).bytes.length + (await after.rest()).bytes.length).toBe(0);
  });
});
