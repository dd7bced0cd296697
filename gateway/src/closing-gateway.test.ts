import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  basic,
  type Credentials,
  openClient,
  socks4Request,
  socks5Connect,
  socks5Greeting,
  socks5Login,
  startHarness,
} from '../test/gateway-harness.ts';
import { listenLocally, until } from '../test/sockets.ts';
import { freePort } from '../../tools/ports.mjs';

const hex = (bytes: Buffer) => bytes.toString('hex');
const unavailable = /^HTTP\/1\.1 503 Service Unavailable\r\n[^]*\r\n\r\nThis gateway is about to stop\.\n$/;

describe('closing a gateway', () => {
  it('refuses new clients, drains open tunnels and delivers their final totals', async () => {
    const { control, gateway } = await startHarness();
    const connection = control.sell();
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const { client } = await socks5Connect(gateway, connection, '127.0.0.1', port);
    const closed = gateway.close({ drainMs: 30_000 });
    await expect(openClient(gateway.port)).rejects.toThrow('ECONNREFUSED');
    client.socket.end('final data');
    expect((await client.rest()).bytes.toString()).toBe('final data');
    await closed;
    expect(connection.endedAtBytes).toBe(20);
    control.stop();
  });

  it('leaves both of its ports at once to a successor that waits for them, and drains meanwhile', async () => {
    const metricsPort = await freePort();
    const { control, gateway: old } = await startHarness({ metricsPort });
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const [before, after] = [control.sell(), control.sell()];
    const { client } = await socks5Connect(old, before, '127.0.0.1', port);
    const settings = { controlUrl: control.url, token: control.token, port: old.port, metricsPort };
    const starting = startHarness(settings);
    const closed = old.close({ drainMs: 300_000 });
    const successor = await starting;
    const health = await fetch(`http://127.0.0.1:${metricsPort}/health`);
    expect(await health.json()).toMatchObject({ controlPlane: 'ok' });
    const { client: next } = await socks5Connect(successor.gateway, after, '127.0.0.1', port);
    for (const [each, text] of [
      [client, 'old'],
      [next, 'new'],
    ] as const) {
      each.socket.end(text);
      expect((await each.rest()).bytes.toString()).toBe(text);
    }
    expect(await closed).toBe(true);
    await successor.stop();
    control.stop();
  });

  it('releases the grants of unused connections when the drain begins, and of the others when their last tunnel ends', async () => {
    const { control, gateway } = await startHarness();
    const [used, busy, unused] = [control.sell(), control.sell(), control.sell()];
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const [first, second, third] = await Promise.all(
      [used, busy, unused].map((connection) => socks5Connect(gateway, connection, '127.0.0.1', port)),
    );
    third!.client.socket.end();
    await third!.client.rest();
    const closed = gateway.close({ drainMs: 30_000 });
    await until(() => unused.endedAtBytes === 0);
    expect([used.endedAtBytes, busy.endedAtBytes]).toEqual([undefined, undefined]);
    first!.client.socket.end();
    await first!.client.rest();
    await until(() => used.endedAtBytes === 0);
    second!.client.socket.end('final data');
    expect((await second!.client.rest()).bytes.toString()).toBe('final data');
    expect(await closed).toBe(true);
    expect(busy.endedAtBytes).toBe(20);
    control.stop();
  });

  it.each<[string, (login: Credentials) => Buffer | string, (reply: Buffer) => void]>([
    [
      'SOCKS5',
      (login) => Buffer.concat([socks5Greeting, socks5Login(login)]),
      // The login may be right, so it is not refused; the request is.
      (reply) => expect(hex(reply)).toBe('0502010005010001000000000000'),
    ],
    [
      'SOCKS4',
      ({ username, password }) => socks4Request('127.0.0.1', 9, `${username}:${password}`),
      (reply) => expect(hex(reply)).toBe('005b000000000000'),
    ],
    [
      'CONNECT',
      (login) => `CONNECT a.test:9 HTTP/1.1\r\nHost: a.test\r\nProxy-Authorization: ${basic(login)}\r\n\r\n`,
      (reply) => expect(reply.toString()).toMatch(unavailable),
    ],
    [
      'HTTP',
      (login) => `GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nProxy-Authorization: ${basic(login)}\r\n\r\n`,
      (reply) => expect(reply.toString()).toMatch(unavailable),
    ],
  ])('answers a client of %s in the middle of its login', async (_, request, expectReply) => {
    const { control, gateway } = await startHarness();
    const held = new EventEmitter();
    control.respondsAfter = once(held, 'respond');
    const client = await openClient(gateway.port);
    client.socket.write(request(control.sell()));
    await until(() => control.authorizationsRequested === 1);
    const closed = gateway.close();
    const { bytes, end } = await client.rest();
    expectReply(bytes);
    expect(end).toBe('ended');
    held.emit('respond');
    await closed;
    client.socket.destroy();
    control.stop();
  });

  it('answers a client that has not sent its password yet, and closes one that is between two requests silently', async () => {
    const { control, gateway } = await startHarness();
    const client = await openClient(gateway.port);
    client.socket.write(socks5Greeting);
    expect(hex(await client.take(2))).toBe('0502');
    const idle = await openClient(gateway.port);
    idle.socket.write('GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n');
    expect(await idle.takeUntil('wrong.\n')).toMatch(/^HTTP\/1\.1 407 /);
    const closed = gateway.close();
    expect(hex((await client.rest()).bytes)).toBe('0101');
    expect((await idle.rest()).bytes.toString()).toBe('');
    client.socket.destroy();
    await closed;
    control.stop();
  });

  it('ends a connection whose authorization arrives during the shutdown', async () => {
    const { control, gateway } = await startHarness();
    const connection = control.sell();
    const held = new EventEmitter();
    control.respondsAfter = once(held, 'respond');
    const client = await openClient(gateway.port);
    client.socket.write(Buffer.concat([socks5Greeting, socks5Login(connection)]));
    await until(() => control.authorizationsRequested === 1);
    const closed = gateway.close();
    held.emit('respond');
    expect(await closed).toBe(true);
    expect(control.calls.authorize).toBe(1);
    expect(connection.endedAtBytes).toBe(0);
    await client.rest();
    control.stop();
  });

  it('does not wait longer than its timeout for a pending authorization, and misses no total', async () => {
    const { control, gateway } = await startHarness({ limits: { lastReportMs: 100 } });
    const client = await openClient(gateway.port);
    control.isUnresponsive = true;
    client.socket.write(Buffer.concat([socks5Greeting, socks5Login(control.sell())]));
    await until(() => control.authorizationsRequested === 1);
    expect(await gateway.close()).toBe(true);
    control.stop();
  });
});
