import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { openClient, socks5Connect, socks5Greeting, socks5Login, startHarness } from '../test/gateway-harness.ts';
import { listenLocally, until } from '../test/sockets.ts';

describe('a gateway that is closed', () => {
  it('takes no new clients, lets open tunnels finish and delivers their last totals', async () => {
    const { control, gateway } = await startHarness();
    const connection = control.sell();
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const { client } = await socks5Connect(gateway, connection, '127.0.0.1', port);
    const closed = gateway.close({ drainMs: 30_000 });
    await expect(openClient(gateway.port)).rejects.toThrow('ECONNREFUSED');
    client.socket.end('last words');
    expect((await client.rest()).bytes.toString()).toBe('last words');
    await closed;
    expect(connection.endedAtBytes).toBe(20);
    control.stop();
  });

  it('ends a connection whose authorization is answered only then', async () => {
    const { control, gateway } = await startHarness();
    const connection = control.sell();
    const held = new EventEmitter();
    control.respondsAfter = once(held, 'answer');
    const client = await openClient(gateway.port);
    client.socket.write(Buffer.concat([socks5Greeting, socks5Login(connection)]));
    await until(() => control.authorizationsRequested === 1);
    const closed = gateway.close();
    held.emit('answer');
    expect(await closed).toBe(true);
    expect(control.calls.authorize).toBe(1);
    expect(connection.endedAtBytes).toBe(0);
    await client.rest();
    control.stop();
  });

  it('waits for no authorization beyond its time, and misses no total then', async () => {
    const { control, gateway } = await startHarness({ limits: { lastReportMs: 100 } });
    const client = await openClient(gateway.port);
    control.isSilent = true;
    client.socket.write(Buffer.concat([socks5Greeting, socks5Login(control.sell())]));
    await until(() => control.authorizationsRequested === 1);
    expect(await gateway.close()).toBe(true);
    control.stop();
  });
});
