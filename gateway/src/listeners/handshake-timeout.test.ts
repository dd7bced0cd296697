/** @module-tag thorough */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { FakeConnection } from '../../test/control-plane.ts';
import {
  basic,
  type Harness,
  openClient,
  socks5Greeting,
  socks5Login,
  socks5Request,
  startHarness,
  untilGauge,
} from '../../test/gateway-harness.ts';
import { HeldTimers } from '../../test/held-timers.ts';
import { startNameServer } from '../../test/name-server.ts';
import { listenLocally, until } from '../../test/sockets.ts';
import { ClientSocket } from './client-socket.ts';

/** No other timer takes as long. */
const HANDSHAKE_MS = 1_234_567;

const get = (authority: string, login?: FakeConnection) =>
  `GET http://${authority}/ HTTP/1.1\r\nHost: x\r\n${login ? `Proxy-Authorization: ${basic(login)}\r\n` : ''}\r\n`;

describe('the handshake timeout', () => {
  let deadlines: HeldTimers;
  let harness: Harness;
  let names: Awaited<ReturnType<typeof startNameServer>>;
  let connection: FakeConnection;
  let originPort: number;

  beforeAll(async () => {
    names = await startNameServer({ 'held.test': ['127.0.0.1'] });
    harness = await startHarness({
      nameServers: [names.address],
      limits: { handshakeMs: HANDSHAKE_MS },
    });
    const response = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
    ({ port: originPort } = await listenLocally((socket) => socket.on('data', () => socket.write(response))));
  });
  beforeEach(() => {
    connection = harness.control.sell();
    deadlines = new HeldTimers(HANDSHAKE_MS);
  });
  afterEach(() => void vi.restoreAllMocks());
  afterAll(async () => {
    await harness.stop();
    names.stop();
  });

  /** @returns a client, and what ends its time */
  async function accept() {
    const before = deadlines.running;
    const client = await openClient(harness.gateway.port);
    await until(() => deadlines.running > before);
    return { client, timeOut: deadlines.first() };
  }

  it.each(['no', 'wrong'])(
    'applies to a client that keeps sending requests with %s credentials',
    async (credentials) => {
      const login = credentials === 'no' ? undefined : { ...connection, password: 'wrong' };
      const { client, timeOut } = await accept();
      for (let request = 0; request < 5; request += 1) {
        client.socket.write(get(`127.0.0.1:${originPort}`, login));
        expect(await client.takeUntil('\r\n\r\n')).toMatch(/HTTP\/1.1 407 /);
      }
      timeOut();
      await client.rest();
      await untilGauge(harness.gateway, 'gateway_half_open', 0);
    },
  );

  it('includes the wait for a control plane that does not respond', async () => {
    harness.control.isUnresponsive = true;
    const requested = harness.control.authorizationsRequested;
    const socks5 = await openClient(harness.gateway.port);
    socks5.socket.write(Buffer.concat([socks5Greeting, socks5Login(connection)]));
    const connect = await openClient(harness.gateway.port);
    connect.socket.write(
      get('127.0.0.1:1', harness.control.sell()).replace('GET http://127.0.0.1:1/', 'CONNECT a.test:1'),
    );
    const absolute = await openClient(harness.gateway.port);
    absolute.socket.write(get(`127.0.0.1:${originPort}`, harness.control.sell()));
    await until(() => harness.control.authorizationsRequested === requested + 3);
    for (const _client of [socks5, connect, absolute]) deadlines.first()();
    expect((await socks5.rest()).bytes.toString('hex')).toBe('05020101');
    for (const client of [connect, absolute])
      expect((await client.rest()).bytes.toString()).toMatch(/^HTTP\/1.1 408 [^]*Connection: close\r\n/);
    await untilGauge(harness.gateway, 'gateway_half_open', 0);
    await untilGauge(harness.gateway, 'gateway_client_sockets', 0);
    harness.control.isUnresponsive = false;
  });

  it('does not apply after valid credentials', async () => {
    const { client, timeOut } = await accept();
    client.socket.write(get(`127.0.0.1:${originPort}`, connection));
    await client.takeUntil('hello');
    timeOut();
    client.socket.write(get(`127.0.0.1:${originPort}`, connection));
    expect(await client.takeUntil('hello')).toContain(' 200 OK');
    client.socket.destroy();
  });

  it.each(['SOCKS5', 'CONNECT', 'absolute-form'])('does not include the dial: %s', async (protocol) => {
    const { client, timeOut } = await accept();
    const login = `Host: x\r\nProxy-Authorization: ${basic(connection)}\r\n\r\n`;
    const target = `held.test:${originPort}`;
    const before = names.queries.length;
    const request = socks5Request('held.test', originPort);
    if (protocol === 'SOCKS5') client.socket.write(Buffer.concat([socks5Greeting, socks5Login(connection), request]));
    else if (protocol === 'CONNECT') client.socket.write(`CONNECT ${target} HTTP/1.1\r\n${login}`);
    else client.socket.write(`GET http://${target}/ HTTP/1.1\r\n${login}`);
    await until(() => names.queries.length > before);
    timeOut();
    names.release();
    const success = protocol === 'SOCKS5' ? '\u0005\u0002\u0001\u0000\u0005\u0000' : 'HTTP/1.1 200 ';
    expect((await client.take(success.length)).toString('latin1')).toBe(success);
    client.socket.destroy();
  });
});

describe('a handshake that does not end gets the refusal of its stage:', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({ limits: { handshakeMs: HANDSHAKE_MS } });
  });
  afterAll(() => harness.stop());

  const login = (): Buffer => Buffer.concat([socks5Greeting, socks5Login(harness.control.sell())]);
  const HTTP_408 = new RegExp(`^${Buffer.from('HTTP/1.1 408 ').toString('hex')}`);
  /** By name: what the client sends, how much is answered before the timeout, and the whole answer, in hexadecimal. */
  it.each([
    ['CONNECT', () => 'CONNECT a.test', 0, HTTP_408],
    ['a head', () => 'CONNECT a.test:1 HTTP/1.1\r\n', 0, HTTP_408],
    ['an absolute-form request', () => 'GET http://a.test', 0, HTTP_408],
    ['the first byte of SOCKS5', () => Buffer.from([5]), 0, /^05ff$/],
    ['a SOCKS5 greeting', () => Buffer.from([5, 2, 2]), 0, /^05ff$/],
    ['a SOCKS5 login', () => Buffer.concat([socks5Greeting, Buffer.from([1, 9])]), 2, /^05020101$/],
    ['no SOCKS5 request', login, 4, /^0502010005010001(?:00){6}$/],
    ['a SOCKS5 request', () => Buffer.concat([login(), Buffer.from([5, 1, 0, 1])]), 4, /^0502010005010001(?:00){6}$/],
    ['a SOCKS4 request', () => Buffer.from([4, 1]), 0, /^005b(?:00){6}$/],
  ] satisfies [string, () => string | Buffer, number, RegExp][])('%s', async (_name, bytes, answered, expected) => {
    const deadlines = new HeldTimers(HANDSHAKE_MS);
    const receivedData = vi.spyOn(ClientSocket.prototype, 'receivedData');
    onTestFinished(() => void vi.restoreAllMocks());
    const timeouts = async () => {
      const { values } = await harness.gateway.metrics.refusals.get();
      return values.find(({ labels }) => labels.reason === 'handshake-timeout')?.value ?? 0;
    };
    const before = await timeouts();
    const client = await openClient(harness.gateway.port);
    client.socket.write(bytes());
    await until(() => receivedData.mock.calls.length > 0 && client.receivedBytes === answered);
    deadlines.first()();
    expect((await client.rest()).bytes.toString('hex')).toMatch(expected);
    client.socket.destroy();
    expect(await timeouts()).toBe(before + 1);
    await untilGauge(harness.gateway, 'gateway_client_sockets', 0);
  });
});
