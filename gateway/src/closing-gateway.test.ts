import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { openClient, socks5Connect, socks5Greeting, socks5Login, startHarness } from '../test/gateway-harness.ts';
import { listenLocally, until } from '../test/sockets.ts';

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
