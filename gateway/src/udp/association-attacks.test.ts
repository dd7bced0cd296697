import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { until } from '../../test/sockets.ts';
import { dropped, openEchoing, openPeer, settle, startNode } from '../../test/udp-harness.ts';
import { associate, openUdp, socks5Datagram } from '../../test/udp.ts';

describe('an association is no reflector:', () => {
  it('with any address in its request, datagrams go to the address of the control connection alone, and are paid', async () => {
    const harness = await startNode({ limits: { updateIntervalMs: 20 } });
    const [origin, victim] = [await openPeer(), await openPeer('127.0.0.66')];
    const connection = harness.control.sell();
    const association = await associate(harness.gateway, connection, { host: '127.0.0.66', port: victim.port });
    const arrived = once(origin.socket, 'message') as Promise<[Buffer, { port: number }]>;
    // As if the victim sent it, and then from the client.
    association.send('127.0.0.1', origin.port, 'forged', victim);
    await until(() => dropped(harness, 'wrong-source') === 1);
    association.send('127.0.0.1', origin.port, 'x');
    const [message, { port }] = await arrived;
    expect(message.toString()).toBe('x');
    for (let index = 0; index < 20; index += 1) origin.socket.send(Buffer.alloc(1_400), port, '127.0.0.1');
    await until(() => association.udp.received === 20);
    await until(() => connection.usedBytes === 1 + 20 * 1_400);
    expect([victim.received, origin.received]).toEqual([0, 1]);
    association.close();
  });

  it('answers of another address or port than the asked one are dropped, and cost nothing', async () => {
    const harness = await startNode({ limits: { updateIntervalMs: 20 } });
    const echo = await openEchoing();
    const origin = await openPeer();
    const strangers = [await openPeer(), await openUdp('127.0.0.67', origin.port)];
    const connection = harness.control.sell();
    const association = await associate(harness.gateway, connection);
    const arrived = once(origin.socket, 'message') as Promise<[Buffer, { port: number }]>;
    association.send('127.0.0.1', origin.port, 'x');
    const [, { port }] = await arrived;
    for (const { socket } of strangers) socket.send(Buffer.alloc(1_400), port, '127.0.0.1');
    await until(() => dropped(harness, 'unknown-sender') === strangers.length);
    await settle(association, echo);
    await until(() => connection.usedBytes === 1 + 2 * 'settled'.length);
    expect(association.udp.received).toBe(1);
    strangers[1]!.socket.close();
    association.close();
  });

  it('nothing is answered to a client before its first datagram, and nothing to malformed ones or fragments', async () => {
    const harness = await startNode();
    const echo = await openEchoing();
    const association = await associate(harness.gateway, harness.control.sell());
    const fragments = [1, 0x7f, 0x80, 0xff].map((fragment) => {
      const datagram = socks5Datagram('127.0.0.1', echo.port, 'part');
      datagram[2] = fragment;
      return datagram;
    });
    for (const datagram of fragments) association.sendRaw(datagram);
    await until(() => dropped(harness, 'fragment') === fragments.length);
    // They fix no port: another one of the client may still be the first.
    const other = await openPeer();
    association.send('127.0.0.1', echo.port, 'first', other);
    expect((await other.next()).subarray(10).toString()).toBe('first');
    expect([echo.received, association.udp.received]).toEqual([1, 0]);
    association.close();
  });
});
