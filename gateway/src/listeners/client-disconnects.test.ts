/** @module-tag thorough */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakeConnection } from '../../test/control-plane.ts';
import {
  basic,
  type Harness,
  openClient,
  socks5Greeting,
  socks5Login,
  socks5Request,
  socks5Connect,
  startHarness,
  untilGauge,
} from '../../test/gateway-harness.ts';
import { startNameServer } from '../../test/name-server.ts';
import { listenLocally, Reader, until } from '../../test/sockets.ts';

describe.each(['pump', 'streams'] as const)('a client that ends its direction, with relay %s', (relay) => {
  let harness: Harness;
  let names: Awaited<ReturnType<typeof startNameServer>>;
  let connection: FakeConnection;
  const origins: Reader[] = [];
  let originPort: number;

  beforeAll(async () => {
    names = await startNameServer({ 'held.test': ['127.0.0.1'] });
    harness = await startHarness({ relay, nameServers: [names.address], limits: { dnsAnswerMs: 15_000 } });
    connection = harness.control.sell();
    ({ port: originPort } = await listenLocally((socket) => origins.push(new Reader(socket))));
  });
  afterAll(async () => {
    await harness.stop();
    names.stop();
  });

  const login = () => `Host: x\r\nProxy-Authorization: ${basic(connection)}\r\n\r\n`;
  const handshake = () =>
    Buffer.concat([socks5Greeting, socks5Login(connection), socks5Request('held.test', originPort)]);
  const requests: [string, () => string | Buffer][] = [
    ['SOCKS5', handshake],
    ['CONNECT', () => `CONNECT held.test:${originPort} HTTP/1.1\r\n${login()}`],
    ['absolute-form', () => `GET http://held.test:${originPort}/ HTTP/1.1\r\n${login()}`],
  ];

  /** A round trip through the gateway: then it has processed everything that was sent before. */
  async function roundTrip(): Promise<void> {
    const { client } = await socks5Connect(harness.gateway, connection, '127.0.0.1', originPort);
    client.socket.resetAndDestroy();
    await untilGauge(harness.gateway, 'gateway_tunnels', 1);
  }

  it.each(requests.slice(0, 2))(
    'during the dial of %s has its data and then its end forwarded',
    async (_name, request) => {
      const client = await openClient(harness.gateway.port);
      const before = names.queries.length;
      client.socket.write(request());
      client.socket.end('all of it');
      await until(() => names.queries.length > before);
      await roundTrip();
      origins.length = 0;
      names.release();
      await until(() => origins.length > 0);
      const { bytes, end } = await origins[0]!.rest();
      expect([bytes.toString(), end]).toEqual(['all of it', 'ended']);
      origins[0]!.socket.end();
      await client.rest();
      await untilGauge(harness.gateway, 'gateway_tunnels', 0);
    },
  );

  it.each(requests)('without data during the dial of %s leaves no tunnel', async (_name, request) => {
    const client = await openClient(harness.gateway.port);
    const before = names.queries.length;
    client.socket.write(request());
    await until(() => names.queries.length > before);
    client.socket.end();
    await untilGauge(harness.gateway, 'gateway_tunnels', 0);
    expect(await untilGauge(harness.gateway, 'gateway_client_sockets', 0)).toBe(0);
    names.release();
  });

  it.each(requests.slice(0, 2))('with its request of %s, and sends no data, gets no reply', async (_name, request) => {
    const client = await openClient(harness.gateway.port);
    client.socket.end(request());
    const { bytes } = await client.rest();
    await untilGauge(harness.gateway, 'gateway_client_sockets', 0);
    // At most the replies to the greeting and the login.
    expect(bytes.length).toBeLessThanOrEqual(4);
    names.release();
  });

  it.each(requests)('by a reset during the dial of %s leaves no tunnel', async (_name, request) => {
    const client = await openClient(harness.gateway.port);
    const before = names.queries.length;
    client.socket.write(request());
    await until(() => names.queries.length > before);
    client.socket.resetAndDestroy();
    await untilGauge(harness.gateway, 'gateway_tunnels', 0);
    expect(await untilGauge(harness.gateway, 'gateway_client_sockets', 0)).toBe(0);
    names.release();
  });

  it('while it waits for the origin leaves no tunnel, and the origin gets a reset', async () => {
    origins.length = 0;
    const client = await openClient(harness.gateway.port);
    client.socket.write(`GET http://127.0.0.1:${originPort}/ HTTP/1.1\r\n${login()}`);
    await until(() => origins.length > 0);
    await origins[0]!.takeUntil('\r\n\r\n');
    client.socket.end();
    expect((await origins[0]!.rest()).end).toBe('reset');
    await untilGauge(harness.gateway, 'gateway_client_sockets', 0);
  });

  it('by a reset while its tunnel opens never looks complete to the origin', async () => {
    const payload = Buffer.alloc(300, 'p');
    const seen: { bytes: Buffer; end: string }[] = [];
    const { server, port } = await listenLocally((socket) => {
      socket.end();
      void new Reader(socket).rest().then((rest) => seen.push(rest));
    });
    const clients = await Promise.all(Array.from({ length: 60 }, () => openClient(harness.gateway.port)));
    for (const { socket } of clients) {
      socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n${login()}`);
      for (const byte of payload) socket.write(Buffer.from([byte]));
      await new Promise(setImmediate);
      socket.resetAndDestroy();
    }
    await untilGauge(harness.gateway, 'gateway_tunnels', 0);
    server.close();
    await once(server, 'close');
    const truncated = seen.filter(
      ({ bytes, end }) => end === 'ended' && bytes.length > 0 && bytes.length < payload.length,
    );
    expect(truncated).toEqual([]);
  });
});
