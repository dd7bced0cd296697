/** @module-tag thorough */
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { until } from '../../test/sockets.ts';
import { dropped, openEchoing, openPeer, resolving, settle, startNode } from '../../test/udp-harness.ts';
import { associate, socks5Datagram } from '../../test/udp.ts';

describe('the destinations of an association', () => {
  it('are resolved once by the exit, and replies contain the address', async () => {
    const names = await resolving({ 'echo.test': ['127.0.0.1'] });
    const harness = await startNode({ nameServers: [names.address] });
    const echo = await openEchoing();
    const association = await associate(harness.gateway, harness.control.sell());
    for (let round = 0; round < 5; round += 1) {
      association.send('echo.test', echo.port, `round ${round}`);
      const expected = socks5Datagram('127.0.0.1', echo.port, `round ${round}`);
      expect((await association.udp.next()).toString('hex')).toBe(expected.toString('hex'));
    }
    expect(names.queries.filter((name) => name === 'echo.test').length).toBeLessThanOrEqual(2);
    association.close();
  });

  it('hold at most 16 datagrams while names are resolved, and lose no others', async () => {
    const names = await resolving({ 'held.test': ['127.0.0.1'] });
    const harness = await startNode({ nameServers: [names.address] });
    const [origin, echo] = [await openPeer(), await openEchoing()];
    const association = await associate(harness.gateway, harness.control.sell());
    association.send('127.0.0.1', echo.port, 'known');
    await association.udp.next();
    for (let index = 0; index < 20; index += 1) association.send('held.test', origin.port, `${index}`);
    await until(() => dropped(harness, 'unresolved') === 4);
    await settle(association, echo);
    await until(() => names.queries.filter((name) => name === 'held.test').length === 2);
    names.release();
    await expect.poll(() => origin.received).toBe(16);
    association.close();
  });

  it('drop datagrams to unknown names, and try the name again later', async () => {
    const table: Record<string, string[]> = {};
    const names = await resolving((name) => table[name]);
    const harness = await startNode({ nameServers: [names.address], limits: { missingNameKeptMs: 0 } });
    const echo = await openEchoing();
    const association = await associate(harness.gateway, harness.control.sell());
    association.send('late.test', echo.port, 'lost');
    await until(() => dropped(harness, 'unresolved') === 1);
    association.send('a b.test', echo.port, 'not a name');
    await until(() => dropped(harness, 'malformed') === 1);
    table['late.test'] = ['127.0.0.1'];
    association.send('late.test', echo.port, 'found');
    expect((await association.udp.next()).subarray(10).toString()).toBe('found');
    association.close();
  });

  it.each(['127.0.0.1', '127.1', 'localhost', '10.1.2.3', '::ffff:169.254.169.254', 'inside.test'])(
    'do not include %s, and the datagram costs nothing',
    async (host) => {
      const names = await resolving({ 'inside.test': ['192.168.1.1', '10.0.0.1'] });
      const harness = await startNode({ allowPrivate: false, nameServers: [names.address] });
      const connection = harness.control.sell();
      const association = await associate(harness.gateway, connection);
      for (let index = 0; index < 3; index += 1) association.send(host, 53, 'secret');
      await until(() => dropped(harness, 'destination-prohibited') === 3);
      expect(harness.gateway.metrics.udp.relayed.toExit).toBe(0);
      association.close();
      await harness.gateway.close();
      expect(connection.usedBytes).toBe(0);
    },
  );

  it('do not include the ports of other associations and port 25, even if private destinations are allowed', async () => {
    const harness = await startNode();
    const victim = await associate(harness.gateway, harness.control.sell());
    const association = await associate(harness.gateway, harness.control.sell());
    association.send('127.0.0.1', victim.bound.port, socks5Datagram('127.0.0.1', 9, 'loop'));
    association.send('127.0.0.1', 25, 'mail');
    await expect.poll(() => dropped(harness, 'destination-prohibited')).toBe(1);
    await expect.poll(() => dropped(harness, 'port-prohibited')).toBe(1);
    victim.close();
    association.close();
  });

  it('are limited: the one without traffic for longest is evicted and can no longer reply', async () => {
    const harness = await startNode({ limits: { destinationsPerAssociation: 2 } });
    const origins = [await openPeer(), await openPeer(), await openPeer()];
    const association = await associate(harness.gateway, harness.control.sell());
    const ports: number[] = [];
    for (const { port, socket } of origins) {
      const arrived = once(socket, 'message') as Promise<[Buffer, { port: number }]>;
      association.send('127.0.0.1', port, 'hello');
      ports.push((await arrived)[1].port);
    }
    origins[0]!.socket.send('evicted', ports[0], '127.0.0.1');
    await until(() => dropped(harness, 'unknown-sender') === 1);
    origins[1]!.socket.send('kept', ports[1], '127.0.0.1');
    expect((await association.udp.next()).subarray(10).toString()).toBe('kept');
    association.close();
  });

  it('are limited per second, and so are datagrams without payload', async () => {
    const harness = await startNode({ limits: { newTunnelsPerSecond: 0.001, newTunnelsBurst: 3 } });
    const echo = await openEchoing();
    const association = await associate(harness.gateway, harness.control.sell());
    for (const port of [9_001, 9_002, 9_003, 9_004, 9_005]) association.send('127.0.0.1', port, 'scan');
    await until(() => dropped(harness, 'rate-limit') === 2);
    association.send('127.0.0.1', 9_001, '');
    await until(() => dropped(harness, 'rate-limit') === 3);
    association.send('127.0.0.1', echo.port, 'no');
    await expect.poll(() => dropped(harness, 'rate-limit')).toBe(4);
    association.close();
  });
});

describe('the exit of an association', () => {
  it('binds datagrams to its address, and has no other route', async () => {
    const harness = await startNode();
    const origin = await openPeer('127.0.0.1');
    const connection = harness.control.sell({ exit: { kind: 'local-address', address: '127.0.0.7' } });
    const association = await associate(harness.gateway, connection);
    const arrived = once(origin.socket, 'message') as Promise<[Buffer, { address: string }]>;
    association.send('127.0.0.1', origin.port, 'hello');
    expect((await arrived)[1].address).toBe('127.0.0.7');
    const ipv6 = [...Array.from({ length: 15 }, () => 0), 1];
    association.sendRaw(Buffer.from([0, 0, 0, 4, ...ipv6, origin.port >> 8, origin.port & 255, 1]));
    await until(() => dropped(harness, 'unresolved') === 1);
    association.close();
  });

  it('relays nothing while its address is missing', async () => {
    const harness = await startNode();
    const connection = harness.control.sell({ exit: { kind: 'local-address', address: '192.0.2.77' } });
    const association = await associate(harness.gateway, connection);
    association.send('127.0.0.1', 9, 'hello');
    await expect.poll(() => dropped(harness, 'unresolved')).toBe(1);
    association.close();
  });
});
