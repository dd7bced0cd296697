/** @module-tag thorough */
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  openClient,
  socks5Connect,
  socks5Greeting,
  socks5Login,
  socks5Request,
  untilGauge,
} from '../../test/gateway-harness.ts';
import { listenLocally, until } from '../../test/sockets.ts';
import { dropped, openEchoing, openPeer, resolving, settle, startNode } from '../../test/udp-harness.ts';
import { associate, type TestAssociation } from '../../test/udp.ts';

describe('the credit of an association', () => {
  it.each([
    [undefined, 'out-of-money'],
    ['CAP', 'cap-reached'],
  ])('passes datagrams as a whole, and ends it with the first that no grant can pay (%s)', async (reason, end) => {
    const harness = await startNode({ limits: { updateIntervalMs: 20 } });
    const origin = await openPeer();
    const connection = harness.control.sell({ allowedBytes: 2_500, reason });
    const association = await associate(harness.gateway, connection);
    for (let index = 0; index < 3; index += 1) association.send('127.0.0.1', origin.port, Buffer.alloc(1_000));
    expect((await association.control.rest()).bytes).toHaveLength(0);
    expect([origin.received, dropped(harness, 'no-credit'), connection.state]).toEqual([2, 1, 'final']);
    const ends = (await harness.gateway.metrics.tunnelEnds.get()).values;
    expect(ends).toContainEqual({ labels: { reason: end }, value: 1 });
    await until(() => connection.usedBytes === 2_000);
    // A tunnel could still use the rest: it passes the paid part of a chunk.
    expect(connection.endedAtBytes).toBeUndefined();
    const sink = await listenLocally((socket) => socket.resume());
    const { client } = await socks5Connect(harness.gateway, connection, '127.0.0.1', sink.port);
    client.socket.write(Buffer.alloc(1_000));
    await until(() => connection.endedAtBytes === 2_500);
    sink.server.close();
  });

  it('ends it with a reply that no further grant can pay for', async () => {
    const harness = await startNode({ limits: { updateIntervalMs: 20 } });
    const echo = await openEchoing();
    const connection = harness.control.sell({ allowedBytes: 1_500 });
    const association = await associate(harness.gateway, connection);
    association.send('127.0.0.1', echo.port, Buffer.alloc(1_000));
    expect((await association.control.rest()).bytes).toHaveLength(0);
    await until(() => connection.usedBytes === 1_000);
    expect(association.udp.received).toBe(0);
  });

  it('ends it in the middle of a burst that waited for its destination', async () => {
    const names = await resolving({ 'held.test': ['127.0.0.1'] });
    const harness = await startNode({ limits: { updateIntervalMs: 20 }, nameServers: [names.address] });
    const origin = await openPeer();
    const connection = harness.control.sell({ allowedBytes: 2_500 });
    const association = await associate(harness.gateway, connection);
    for (let index = 0; index < 8; index += 1) association.send('held.test', origin.port, Buffer.alloc(1_000));
    await until(() => names.queries.includes('held.test'));
    await settle(association, await openEchoing());
    names.release();
    expect((await association.control.rest()).bytes).toHaveLength(0);
    await until(() => origin.received === 2 && dropped(harness, 'no-credit') === 6);
  });

  it('closes the control connection when the last byte is used, and charges exactly the relayed bytes', async () => {
    const harness = await startNode({ limits: { updateIntervalMs: 20 } });
    const echo = await openEchoing();
    const connection = harness.control.sell({ allowedBytes: 2_000 });
    const association = await associate(harness.gateway, connection);
    association.send('127.0.0.1', echo.port, Buffer.alloc(1_000));
    expect((await association.udp.next()).length).toBe(1_010);
    await association.control.rest();
    await until(() => connection.endedAtBytes === 2_000);
    expect(await associate(harness.gateway, connection)).toMatchObject({ reply: 2 });
  });

  it('continues when a late grant arrives', async () => {
    const harness = await startNode({ limits: { updateIntervalMs: 20 } });
    const origin = await openPeer();
    const connection = harness.control.sell({ grantStepBytes: 1_500 });
    const association = await associate(harness.gateway, connection);
    const sending = setInterval(() => association.send('127.0.0.1', origin.port, Buffer.alloc(1_000)), 5);
    await until(() => origin.received >= 20);
    clearInterval(sending);
    association.close();
    await untilGauge(harness.gateway, 'gateway_udp_associations', 0);
    await expect.poll(() => connection.usedBytes).toBe(origin.received * 1_000);
  });

  it('continues within its grant while the control plane restarts, like a tunnel, and every byte is reported later', async () => {
    const harness = await startNode({ limits: { updateIntervalMs: 20, updateRetryMs: 20 } });
    const echo = await openEchoing();
    const { server, port } = await listenLocally((socket) => socket.pipe(socket));
    const connection = harness.control.sell();
    const association = await associate(harness.gateway, connection);
    const { client } = await socks5Connect(harness.gateway, connection, '127.0.0.1', port);
    const states = [false, true, false];
    for (const isUnavailable of states) {
      harness.control.isUnavailable = isUnavailable;
      await settle(association, echo);
      client.socket.write('tunnel');
      expect((await client.take(6)).toString()).toBe('tunnel');
    }
    await until(() => connection.usedBytes === 2 * states.length * ('settled'.length + 'tunnel'.length));
    association.close();
    client.socket.destroy();
    server.close();
  });

  it('ends with the connection, by the end watch', async () => {
    const harness = await startNode();
    const connection = harness.control.sell();
    const association = await associate(harness.gateway, connection);
    await until(() => harness.control.held.size > 0);
    harness.control.announceEnd(connection, 'USER');
    await association.control.rest();
    expect(await untilGauge(harness.gateway, 'gateway_udp_associations', 0)).toBe(0);
  });

  it('ends when the password changes', async () => {
    const harness = await startNode();
    const connection = harness.control.sell();
    const association = await associate(harness.gateway, connection);
    harness.control.changeAccess(connection, { password: 'another-password' });
    harness.control.announceAccess(connection);
    expect((await association.control.rest()).bytes).toHaveLength(0);
  });
});

describe('the limits of associations', () => {
  it('close one without traffic, but not one with traffic', async () => {
    const harness = await startNode({ limits: { udpIdleMs: 200 } });
    const echo = await openEchoing();
    const [idle, busy] = [
      await associate(harness.gateway, harness.control.sell()),
      await associate(harness.gateway, harness.control.sell()),
    ];
    const sending = setInterval(() => busy.send('127.0.0.1', echo.port, 'alive'), 20);
    await idle.control.rest();
    clearInterval(sending);
    await untilGauge(harness.gateway, 'gateway_udp_associations', 0);
    expect((await busy.control.rest()).bytes).toHaveLength(0);
  });

  it('close an association that only receives replies', async () => {
    const harness = await startNode({ limits: { udpIdleMs: 200 } });
    const origin = await openPeer();
    const association = await associate(harness.gateway, harness.control.sell());
    const arrived = once(origin.socket, 'message') as Promise<[Buffer, { port: number }]>;
    association.send('127.0.0.1', origin.port, 'subscribe');
    const [, from] = await arrived;
    const sending = setInterval(() => origin.socket.send('news', from.port, '127.0.0.1'), 10);
    expect((await association.control.rest()).bytes).toHaveLength(0);
    clearInterval(sending);
  });

  it('refuse one too many per connection or per node, with reply 1', async () => {
    const harness = await startNode({ limits: { associationsPerConnection: 2, associationsPerNode: 3 } });
    const [one, other] = [harness.control.sell(), harness.control.sell()];
    const replies: number[] = [];
    for (const connection of [one, one, one, other, other])
      replies.push((await associate(harness.gateway, connection)).reply);
    expect(replies).toEqual([0, 0, 1, 0, 1]);
    await untilGauge(harness.gateway, 'gateway_udp_associations', 3);
    // Tunnels are not affected.
    const { port } = await listenLocally((socket) => socket.end());
    expect((await socks5Connect(harness.gateway, one, '127.0.0.1', port)).reply).toBe(0);
  });

  it('refuse those above the fair share first on a busy node', async () => {
    const harness = await startNode({ limits: { tunnelsPerNode: 10 } });
    const [greedy, modest] = [harness.control.sell(), harness.control.sell()];
    for (let index = 0; index < 7; index += 1) expect((await associate(harness.gateway, greedy)).reply).toBe(0);
    expect((await associate(harness.gateway, modest)).reply).toBe(0);
    expect((await associate(harness.gateway, greedy)).reply).toBe(1);
    const { port } = await listenLocally((socket) => socket.resume());
    expect((await socks5Connect(harness.gateway, greedy, '127.0.0.1', port)).reply).toBe(1);
    expect((await socks5Connect(harness.gateway, modest, '127.0.0.1', port)).reply).toBe(0);
  });

  it('open hundreds of associations and release all of their sockets', async () => {
    const harness = await startNode({ limits: { newTunnelsBurst: 1_000 } });
    const echo = await openEchoing();
    const associations: TestAssociation[] = [];
    for (let customer = 0; customer < 4; customer += 1) {
      const connection = harness.control.sell();
      for (let index = 0; index < 50; index += 1) associations.push(await associate(harness.gateway, connection));
    }
    await untilGauge(harness.gateway, 'gateway_udp_associations', 200);
    await Promise.all(associations.map((association) => settle(association, echo)));
    for (const association of associations) association.close();
    await untilGauge(harness.gateway, 'gateway_udp_associations', 0);
    expect(await untilGauge(harness.gateway, 'gateway_tunnels', 0)).toBe(0);
  });

  it('drop a flood, so that another customer is still served', async () => {
    const harness = await startNode({ limits: { datagramsPerSecond: 500 } });
    const echo = await openEchoing();
    const flooding = await associate(harness.gateway, harness.control.sell());
    const honest = await associate(harness.gateway, harness.control.sell());
    const flood = setInterval(() => {
      for (let index = 0; index < 200; index += 1) flooding.send('127.0.0.1', echo.port, 'flood');
    }, 1);
    await expect.poll(() => dropped(harness, 'rate-limit')).toBeGreaterThan(2_000);
    for (let round = 0; round < 20; round += 1) await settle(honest, echo);
    clearInterval(flood);
    flooding.close();
    honest.close();
  });

  it('are drained: existing ones continue, new ones are refused, and all end eventually', async () => {
    const harness = await startNode();
    const echo = await openEchoing();
    const connection = harness.control.sell();
    const association = await associate(harness.gateway, connection);
    await settle(association, echo);
    const waiting = await openClient(harness.gateway.port);
    waiting.socket.write(Buffer.concat([socks5Greeting, socks5Login(connection)]));
    await waiting.take(4);
    const closed = harness.gateway.close({ drainMs: 10_000 });
    await settle(association, echo);
    waiting.socket.write(socks5Request('0.0.0.0', 0, 3));
    expect((await waiting.take(10))[1]).toBe(1);
    harness.gateway.abortDrain();
    await association.control.rest();
    expect(await closed).toBe(true);
    expect(connection.usedBytes).toBe(4 * 'settled'.length);
  });
});
