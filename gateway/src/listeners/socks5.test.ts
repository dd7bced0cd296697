import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  openClient,
  socks5Connect,
  socks5Greeting,
  socks5Login,
  socks5Request,
  startHarness,
  type Harness,
} from '../../test/gateway-harness.ts';
import { freePort } from '../../../tools/ports.mjs';
import { listenLocally, patternedBytes, sha256, until } from '../../test/sockets.ts';

describe('SOCKS5', () => {
  let harness: Harness;
  let echoPort: number;

  beforeAll(async () => {
    harness = await startHarness();
    ({ port: echoPort } = await listenLocally((socket) => socket.pipe(socket)));
  });
  afterAll(() => harness.stop());

  it('relays bytes in both directions and reports their exact number', async () => {
    const connection = harness.control.sell();
    const { client, reply } = await socks5Connect(harness.gateway, connection, '127.0.0.1', echoPort);
    expect(reply).toBe(0);
    const sent = patternedBytes(3_000_000);
    client.socket.end(sent);
    const { bytes, end } = await client.rest();
    expect(end).toBe('ended');
    expect(sha256(bytes)).toBe(sha256(sent));
    await until(() => connection.usedBytes === 2 * sent.length);
  });

  it('accepts a handshake that arrives byte by byte', async () => {
    const connection = harness.control.sell();
    const client = await openClient(harness.gateway.port);
    const handshake = Buffer.concat([socks5Greeting, socks5Login(connection), socks5Request('localhost', echoPort)]);
    for (const byte of handshake) {
      client.socket.write(Buffer.from([byte]));
      await new Promise(setImmediate);
    }
    expect((await client.take(14)).subarray(0, 6).toString('hex')).toBe('050201000500');
    client.socket.end('after');
    expect((await client.rest()).bytes.toString()).toBe('after');
  });

  it('forwards payload from the same segment as the handshake', async () => {
    const connection = harness.control.sell();
    const client = await openClient(harness.gateway.port);
    const payload = Buffer.from('early payload');
    client.socket.end(
      Buffer.concat([socks5Greeting, socks5Login(connection), socks5Request('127.0.0.1', echoPort), payload]),
    );
    await client.take(14);
    expect((await client.rest()).bytes.toString()).toBe('early payload');
  });

  it('returns the source address that the destination sees', async () => {
    const seen: number[] = [];
    const { server, port } = await listenLocally((socket) => {
      seen.push(socket.remotePort ?? 0);
      socket.end();
    });
    const client = await openClient(harness.gateway.port);
    client.socket.write(
      Buffer.concat([socks5Greeting, socks5Login(harness.control.sell()), socks5Request('127.0.0.1', port)]),
    );
    const reply = (await client.take(14)).subarray(4);
    expect([...reply.subarray(4, 8)]).toEqual([127, 0, 0, 1]);
    expect(reply.readUInt16BE(8)).toBe(seen[0]);
    client.socket.destroy();
    server.close();
  });

  it('calls the control plane once for many tunnels of a connection', async () => {
    const connection = harness.control.sell();
    const before = harness.control.calls.authorize;
    const opened = await Promise.all(
      Array.from({ length: 5 }, () => socks5Connect(harness.gateway, connection, '127.0.0.1', echoPort)),
    );
    opened.push(await socks5Connect(harness.gateway, connection, '127.0.0.1', echoPort));
    expect(harness.control.calls.authorize).toBe(before + 1);
    for (const { client } of opened) client.socket.destroy();
  });

  it('refuses a client that only offers no authentication with FF', async () => {
    const client = await openClient(harness.gateway.port);
    client.socket.write(Buffer.from([5, 1, 0]));
    const { bytes } = await client.rest();
    expect(bytes.toString('hex')).toBe('05ff');
  });

  it('returns status 1 for a wrong password and closes', async () => {
    const { username } = harness.control.sell();
    const client = await openClient(harness.gateway.port);
    client.socket.write(Buffer.concat([socks5Greeting, socks5Login({ username, password: 'wrong' })]));
    const { bytes } = await client.rest();
    expect(bytes.toString('hex')).toBe('05020101');
  });

  it.each([
    ['BIND', 7, 2],
    ['an unknown command', 7, 9],
  ])('refuses %s with reply %i', async (_name, reply, command) => {
    const client = await openClient(harness.gateway.port);
    const request = socks5Request('127.0.0.1', echoPort, command);
    client.socket.write(Buffer.concat([socks5Greeting, socks5Login(harness.control.sell()), request]));
    expect((await client.rest()).bytes[5]).toBe(reply);
  });

  it('refuses an unknown address type with reply 8', async () => {
    const client = await openClient(harness.gateway.port);
    const request = Buffer.from([5, 1, 0, 9, 127, 0, 0, 1, 0, 80]);
    client.socket.write(Buffer.concat([socks5Greeting, socks5Login(harness.control.sell()), request]));
    expect((await client.rest()).bytes[5]).toBe(8);
  });

  it('returns reply 5 for a refused port and reply 4 for an unknown name', async () => {
    const connection = harness.control.sell();
    const refused = await socks5Connect(harness.gateway, connection, '127.0.0.1', await freePort());
    expect(refused.reply).toBe(5);
    const unknown = await socks5Connect(harness.gateway, connection, 'nobody.invalid', 80);
    expect(unknown.reply).toBe(4);
  });

  it('refuses port 25 and its own listener even if private destinations are allowed', async () => {
    const connection = harness.control.sell();
    expect((await socks5Connect(harness.gateway, connection, '127.0.0.1', 25)).reply).toBe(2);
    expect((await socks5Connect(harness.gateway, connection, 'localhost', harness.gateway.port)).reply).toBe(2);
  });
});

describe('SOCKS5 without private destinations', () => {
  it.each(['127.0.0.1', '127.1', '0x7f.1', '2130706433', 'localhost', '10.1.2.3', '::1', '::ffff:127.0.0.1'])(
    'refuses %s with reply 2',
    async (host) => {
      const harness = await startHarness({ allowPrivate: false });
      const { reply } = await socks5Connect(harness.gateway, harness.control.sell(), host, 80);
      expect(reply).toBe(2);
      await harness.stop();
    },
  );
});
