/** What operators limit on a connection: ports of destinations, tunnels and speed. */
import type { ConnectionLimits } from '@cellhop/contract/connection-limits';
import { afterEach, describe, expect, it } from 'vitest';
import type { FakeConnection } from '../test/control-plane.ts';
import { relays } from '../test/accelerator.ts';
import { type Harness, socks5Connect, startHarness } from '../test/gateway-harness.ts';
import { listenLocally, until } from '../test/sockets.ts';
import { associate, openEcho } from '../test/udp.ts';
import type { GatewaySettings } from './gateway.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const NONE: ConnectionLimits = { ports: null, tunnels: null, bytesPerSecond: null };

async function start(limits: Partial<ConnectionLimits>, settings: Partial<GatewaySettings> = {}) {
  const node = await startHarness({
    ...settings,
    limits: { updateIntervalMs: 20, connectionLimitsMs: 50, ...settings.limits },
  });
  const { server, port } = await listenLocally((socket) => socket.pipe(socket));
  stops.push(
    () => server.close(),
    () => node.stop(),
  );
  return { ...node, connection: node.control.sell({ limits: { ...NONE, ...limits } }), port };
}

async function connect({ gateway }: Harness, connection: FakeConnection, port: number) {
  const { client, reply } = await socks5Connect(gateway, connection, '127.0.0.1', port);
  stops.push(() => client.socket.destroy());
  return { client, reply };
}

describe('ports', () => {
  it.each([
    ['deny', (port: number) => `deny ${port}`, 2],
    ['allow others', (port: number) => `allow ${port === 80 ? 81 : 80}`, 2],
    ['allow', (port: number) => `allow ${port}`, 0],
  ])('%s: the reply is %s', async (_name, rule, reply) => {
    const node = await start({});
    node.connection.limits = { ...NONE, ports: rule(node.port) };
    expect((await connect(node, node.connection, node.port)).reply).toBe(reply);
  });

  it('25 is denied without limits of the control plane, and with limits that allow it', async () => {
    const node = await start({ ports: 'allow 1-65535' });
    const unlimited = node.control.sell();
    for (const connection of [node.connection, unlimited]) expect((await connect(node, connection, 25)).reply).toBe(2);
    await until(() => unlimited.refusals.length > 0);
    expect(unlimited.refusals[0]?.reason).toBe('port-prohibited');
  });

  it('of datagrams are checked, too, also when they change during an association', async () => {
    const node = await start({ ports: 'deny 53' });
    const echo = await openEcho();
    const association = await associate(node.gateway, node.connection);
    stops.push(
      () => association.close(),
      () => echo.socket.close(),
    );
    association.send('127.0.0.1', 53, 'prohibited');
    await until(() => node.gateway.metrics.udp.dropped['port-prohibited'] === 1);
    association.send('127.0.0.1', echo.port, 'allowed');
    await association.udp.next();
    await until(() => node.connection.refusals.length > 0);
    node.connection.limits = { ...NONE, ports: `deny ${echo.port}` };
    await until(() => {
      association.send('127.0.0.1', echo.port, 'late');
      return node.gateway.metrics.udp.dropped['destination-prohibited'] > 0;
    });
    expect(node.connection.refusals[0]?.reason).toBe('port-prohibited');
  });
});

describe('tunnels', () => {
  it('beyond the limit are refused, and the limit follows a change while tunnels are open', async () => {
    const node = await start({ tunnels: 2 });
    const { connection, port } = node;
    const replies = [];
    for (let count = 0; count < 3; count += 1) replies.push((await connect(node, connection, port)).reply);
    expect(replies).toEqual([0, 0, 1]);
    await until(() => connection.refusals.some(({ reason }) => reason === 'connection-limit'));
    connection.limits = { ...NONE, tunnels: 3 };
    let last = await connect(node, connection, port);
    while (last.reply !== 0) last = await connect(node, connection, port);
    connection.limits = { ...NONE, tunnels: 1 };
    let next = await connect(node, connection, port);
    while (next.reply === 0) {
      next.client.socket.destroy();
      next = await connect(node, connection, port);
    }
    last.client.socket.write('still open');
    expect((await last.client.take(10)).toString()).toBe('still open');
  });
});

describe('speed', () => {
  it.each(relays)('of a tunnel is limited, and every byte arrives, with %s', async (relay) => {
    const bytesPerSecond = 1_000_000;
    const node = await start({ bytesPerSecond }, { relay });
    const { client } = await connect(node, node.connection, node.port);
    const sent = Buffer.alloc(600_000, 'cellhop');
    const startedAt = performance.now();
    client.socket.write(sent);
    expect((await client.take(sent.length)).equals(sent)).toBe(true);
    const seconds = (performance.now() - startedAt) / 1000;
    // Both directions count, and a quarter of a second may pass at once.
    expect(seconds).toBeGreaterThan((2 * sent.length) / bytesPerSecond - 0.3);
    await until(() => node.connection.usedBytes === 2 * sent.length);
  });

  it('is unlimited again at once when the limit is removed while a tunnel waits', async () => {
    const node = await start({ bytesPerSecond: 12_500 });
    const { client } = await connect(node, node.connection, node.port);
    const sent = Buffer.alloc(2_000_000);
    client.socket.write(sent);
    await client.take(1);
    node.connection.limits = NONE;
    expect((await client.take(sent.length - 1)).equals(sent.subarray(1))).toBe(true);
  });

  it('of datagrams is limited by dropping them, which is counted', async () => {
    const node = await start({ bytesPerSecond: 12_500 });
    const echo = await openEcho();
    const association = await associate(node.gateway, node.connection);
    stops.push(
      () => association.close(),
      () => echo.socket.close(),
    );
    for (let count = 0; count < 100; count += 1) association.send('127.0.0.1', echo.port, Buffer.alloc(1_000));
    await until(() => node.gateway.metrics.udp.dropped['speed-limit'] > 20);
    expect(association.udp.received).toBeLessThan(40);
  });
});
