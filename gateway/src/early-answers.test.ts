/** @module-tag thorough */
import type { Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FakeConnection } from '../test/control-plane.ts';
import { basic, type Harness, openClient, socks5Connect, startHarness, untilGauge } from '../test/gateway-harness.ts';
import { listenLocally, type Reader, sendUntilUnread, until } from '../test/sockets.ts';

const MIB = 1_048_576;
const REFUSAL = 'HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\nConnection: close\r\n\r\nlarge';
/** The kernels of both hosts decide in which order data, end and reset arrive, so many sizes are tried. */
const SIZES = Array.from({ length: 20 }, (_, index) => (index + 1) * MIB);

/** Sends a body without waiting for anything. */
async function upload(socket: Socket, bytes: number): Promise<void> {
  const piece = Buffer.alloc(65_536);
  for (let sentBytes = 0; sentBytes < bytes && !socket.destroyed; sentBytes += piece.length)
    if (!socket.write(piece))
      await new Promise<void>((fulfil) => {
        socket.once('drain', fulfil).once('close', fulfil);
      });
}

/** @returns what the client received, until it has all of the answer or the connection ends */
async function answerTo(client: Reader, head: string, bytes: number): Promise<string> {
  client.socket.write(head);
  const sent = upload(client.socket, bytes);
  const received = await client.restUntil((got) => got.includes('\r\n\r\nlarge'));
  client.socket.destroy();
  await sent;
  return received.bytes.toString('latin1');
}

describe('an upload whose destination answers early and closes', () => {
  let harness: Harness;
  let connection: FakeConnection;
  let port: number;
  const servers: { close(): void }[] = [];
  beforeAll(async () => {
    harness = await startHarness({ limits: { updateIntervalMs: 20 } });
    const origin = await listenLocally((socket) => {
      socket.once('data', () => {
        socket.pause();
        socket.end(REFUSAL, () => socket.destroy()); // With unread data, this is a reset.
      });
    });
    servers.push(origin.server);
    port = origin.port;
  });
  beforeEach(() => {
    connection = harness.control.sell();
  });
  afterAll(async () => {
    await harness.stop();
    for (const server of servers) server.close();
  });

  it('gets its answer from the HTTP proxy, which counts no more of it than was delivered', async () => {
    for (const bytes of SIZES) {
      const login = `Proxy-Authorization: ${basic(connection)}`;
      const head = `POST http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n${login}\r\nContent-Length: ${bytes}\r\n\r\n`;
      const text = await answerTo(await openClient(harness.gateway.port), head, bytes);
      expect(text).toMatch(/^HTTP\/1.1 413 Too Large\r\n[^]*\r\n\r\nlarge$/);
    }
    await untilGauge(harness.gateway, 'gateway_tunnels', 0);
    connection.state = 'ended';
    await until(() => connection.endedAtBytes !== undefined);
    expect(connection.usedBytes - connection.uploadedBytes).toBe(SIZES.length * REFUSAL.length);
  });

  it('gets its answer through a tunnel', async () => {
    for (const bytes of SIZES) {
      const { client } = await socks5Connect(harness.gateway, connection, '127.0.0.1', port);
      const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n`;
      expect(await answerTo(client, head, bytes)).toBe(REFUSAL);
    }
    await untilGauge(harness.gateway, 'gateway_tunnels', 0);
  });

  it.each(['Content-Length: 80000000\r\n', ''])(
    'and a slow client gets all that arrived before a reset, and then the reset: %j',
    async (field) => {
      const origins: Socket[] = [];
      const origin = await listenLocally((socket) => {
        origins.push(socket);
        socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\n${field}\r\n`));
      });
      servers.push(origin.server);
      const client = await openClient(harness.gateway.port);
      const login = `Proxy-Authorization: ${basic(connection)}`;
      client.socket.write(`GET http://127.0.0.1:${origin.port}/ HTTP/1.0\r\nHost: x\r\n${login}\r\n\r\n`);
      await client.takeUntil('\r\n\r\n');
      client.socket.pause();
      const { metrics } = harness.gateway;
      const countedBytes = metrics.totalBytes();
      const sentBytes = await sendUntilUnread(origins[0]!, () => metrics.totalBytes() - countedBytes);
      origins[0]!.resetAndDestroy();
      client.socket.resume();
      const { bytes, end } = await client.rest();
      expect([bytes.length, end]).toEqual([sentBytes, 'reset']);
    },
  );
});
