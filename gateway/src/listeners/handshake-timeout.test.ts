import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
import { startNameServer } from '../../test/name-server.ts';
import { listenLocally, until } from '../../test/sockets.ts';

const HANDSHAKE_MS = 400;

const get = (authority: string, login?: FakeConnection) =>
  `GET http://${authority}/ HTTP/1.1\r\nHost: x\r\n${login ? `Proxy-Authorization: ${basic(login)}\r\n` : ''}\r\n`;

describe('the handshake timeout', () => {
  let harness: Harness;
  let names: Awaited<ReturnType<typeof startNameServer>>;
  let connection: FakeConnection;
  let originPort: number;

  beforeAll(async () => {
    names = await startNameServer({ 'held.test': ['127.0.0.1'] });
    harness = await startHarness({
      nameServers: [names.address],
      limits: { handshakeMs: HANDSHAKE_MS, nextRequestMs: 15_000, controlRequestMs: 15_000, dnsAnswerMs: 15_000 },
    });
    const response = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
    ({ port: originPort } = await listenLocally((socket) => socket.on('data', () => socket.write(response))));
  });
  beforeEach(() => {
    connection = harness.control.sell();
  });
  afterAll(async () => {
    await harness.stop();
    names.stop();
  });

  /** Waits until the handshake of a new client has timed out, and so that of each earlier one. */
  async function handshakeTimeout(): Promise<void> {
    const idle = await openClient(harness.gateway.port);
    await idle.rest();
  }

  it.each(['no', 'wrong'])(
    'applies to a client that keeps sending requests with %s credentials',
    async (credentials) => {
      const login = credentials === 'no' ? undefined : { ...connection, password: 'wrong' };
      const startedAt = performance.now();
      const client = await openClient(harness.gateway.port);
      let isOpen = true;
      const ended = client.rest().finally(() => (isOpen = false));
      const isConnected = () => isOpen;
      while (isConnected()) {
        const before = client.receivedBytes;
        client.socket.write(get(`127.0.0.1:${originPort}`, login));
        await Promise.race([until(() => client.receivedBytes > before), ended]);
        await new Promise((fulfil) => setTimeout(fulfil, 20));
      }
      expect((await ended).bytes.toString()).toMatch(/^HTTP\/1.1 407 /);
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(HANDSHAKE_MS - 50);
      await untilGauge(harness.gateway, 'gateway_half_open', 0);
    },
  );

  it('includes the wait for a control plane that does not respond', async () => {
    harness.control.isUnresponsive = true;
    const socks5 = await openClient(harness.gateway.port);
    socks5.socket.write(Buffer.concat([socks5Greeting, socks5Login(connection)]));
    const connect = await openClient(harness.gateway.port);
    connect.socket.write(
      get('127.0.0.1:1', harness.control.sell()).replace('GET http://127.0.0.1:1/', 'CONNECT a.test:1'),
    );
    const absolute = await openClient(harness.gateway.port);
    absolute.socket.write(get(`127.0.0.1:${originPort}`, harness.control.sell()));
    expect((await socks5.rest()).bytes.toString('hex')).toBe('05020101');
    for (const client of [connect, absolute])
      expect((await client.rest()).bytes.toString()).toMatch(/^HTTP\/1.1 408 [^]*Connection: close\r\n/);
    await untilGauge(harness.gateway, 'gateway_half_open', 0);
    await untilGauge(harness.gateway, 'gateway_client_sockets', 0);
    harness.control.isUnresponsive = false;
  });

  it('does not apply after valid credentials', async () => {
    const client = await openClient(harness.gateway.port);
    client.socket.write(get(`127.0.0.1:${originPort}`, connection));
    await client.takeUntil('hello');
    await handshakeTimeout();
    client.socket.write(get(`127.0.0.1:${originPort}`, connection));
    expect(await client.takeUntil('hello')).toContain(' 200 OK');
    client.socket.destroy();
  });

  it.each(['SOCKS5', 'CONNECT', 'absolute-form'])('does not include the dial: %s', async (protocol) => {
    const client = await openClient(harness.gateway.port);
    const login = `Host: x\r\nProxy-Authorization: ${basic(connection)}\r\n\r\n`;
    const target = `held.test:${originPort}`;
    const before = names.queries.length;
    const request = socks5Request('held.test', originPort);
    if (protocol === 'SOCKS5') client.socket.write(Buffer.concat([socks5Greeting, socks5Login(connection), request]));
    else if (protocol === 'CONNECT') client.socket.write(`CONNECT ${target} HTTP/1.1\r\n${login}`);
    else client.socket.write(`GET http://${target}/ HTTP/1.1\r\n${login}`);
    await until(() => names.queries.length > before);
    await handshakeTimeout();
    names.release();
    const success = protocol === 'SOCKS5' ? '\u0005\u0002\u0001\u0000\u0005\u0000' : 'HTTP/1.1 200 ';
    expect((await client.take(success.length)).toString('latin1')).toBe(success);
    client.socket.destroy();
  });
});
