import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startNameServer } from '../../test/name-server.ts';
import {
  type Harness,
  openClient,
  socks5Connect,
  socks5Greeting,
  socks5Login,
  socks5Request,
  startHarness,
  untilGauge,
} from '../../test/gateway-harness.ts';
import { listenLocally, until } from '../../test/sockets.ts';
import { associate, openEcho, openUdp, socks5Datagram, type TestAssociation, type UdpPeer } from '../../test/udp.ts';
import type { GatewaySettings } from '../gateway.ts';
import type { Drop } from './drop.ts';

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function start(settings?: Partial<GatewaySettings>): Promise<Harness> {
  const harness = await startHarness(settings);
  stops.push(() => harness.stop());
  return harness;
}

async function echoing(address?: string): Promise<UdpPeer> {
  const echo = await openEcho(address);
  stops.push(() => void echo.socket.close());
  return echo;
}

async function peer(address?: string): Promise<UdpPeer> {
  const opened = await openUdp(address);
  stops.push(() => void opened.socket.close());
  return opened;
}

const dropped = ({ gateway }: Harness, reason: Drop) => gateway.metrics.udp.dropped[reason];

/** Waits until the association has handled everything that was sent to it before. */
async function settle(association: TestAssociation, echo: UdpPeer): Promise<void> {
  association.send('127.0.0.1', echo.port, 'settled');
  while (!(await association.udp.next()).includes('settled'));
}

describe('a UDP association', () => {
  let harness: Harness;
  let echo: UdpPeer;

  beforeAll(async () => {
    harness = await startHarness();
    echo = await openEcho();
  });
  afterAll(async () => {
    echo.socket.close();
    await harness.stop();
  });

  it('relays datagrams in both directions and reports their exact payload', async () => {
    const connection = harness.control.sell();
    const association = await associate(harness.gateway, connection);
    expect(association.reply).toBe(0);
    association.send('127.0.0.1', echo.port, 'hello');
    const expected = socks5Datagram('127.0.0.1', echo.port, 'hello');
    expect((await association.udp.next()).toString('hex')).toBe(expected.toString('hex'));
    await until(() => connection.usedBytes === 10 && connection.uploadedBytes === 5);
    association.close();
    await untilGauge(harness.gateway, 'gateway_udp_associations', 0);
  });

  it('has a port of its own within the range of UDP ports, on the address to which the client connected', async () => {
    const connection = harness.control.sell();
    const [one, other] = [await associate(harness.gateway, connection), await associate(harness.gateway, connection)];
    for (const { bound } of [one, other]) {
      expect(bound.address).toBe('127.0.0.1');
      expect(bound.port).toBeGreaterThanOrEqual(21_000);
      expect(bound.port).toBeLessThanOrEqual(29_999);
    }
    expect(one.bound.port).not.toBe(other.bound.port);
    one.close();
    other.close();
  });

  it.each([0, 1, 1_200, 1_400, 1_900, 9_000, 65_000])('relays %i bytes unchanged', async (length) => {
    const connection = harness.control.sell();
    const association = await associate(harness.gateway, connection);
    const payload = Buffer.alloc(length, 'abcdefghijklm');
    association.send('127.0.0.1', echo.port, payload);
    expect((await association.udp.next()).subarray(10).equals(payload)).toBe(true);
    await until(() => connection.usedBytes === 2 * length);
    association.close();
  });

  it('drops a reply that does not fit into one datagram with its header, uncounted', async () => {
    const origin = await peer();
    const connection = harness.control.sell();
    const association = await associate(harness.gateway, connection);
    origin.socket.on('message', (_message, from) => origin.socket.send(Buffer.alloc(65_500), from.port, from.address));
    association.send('127.0.0.1', origin.port, 'ab');
    await until(() => dropped(harness, 'too-long') === 1);
    await settle(association, echo);
    await until(() => connection.usedBytes === 2 + 2 * 'settled'.length);
    association.close();
  });

  it('drops fragments and malformed datagrams, and answers none of them', async () => {
    const association = await associate(harness.gateway, harness.control.sell());
    const before = dropped(harness, 'malformed');
    const valid = socks5Datagram('127.0.0.1', echo.port, 'never');
    const fragment = Buffer.from(valid);
    fragment[2] = 1;
    association.sendRaw(fragment);
    const broken = [Buffer.alloc(0), Buffer.from([0]), Buffer.from([0, 0, 0]), valid.subarray(0, 9)];
    const wrongType = Buffer.from(valid);
    wrongType[3] = 9;
    const reserved = Buffer.from(valid);
    reserved[0] = 1;
    const all = [...broken, wrongType, reserved, socks5Datagram('127.0.0.1', 0, 'to port 0')];
    for (const datagram of all) association.sendRaw(datagram);
    await until(() => dropped(harness, 'malformed') === before + all.length);
    expect(dropped(harness, 'fragment')).toBe(1);
    await settle(association, echo);
    expect(association.udp.received).toBe(1);
    association.close();
  });

  it('drops datagrams from another address, and sends nothing there', async () => {
    const association = await associate(harness.gateway, harness.control.sell());
    const stranger = await peer('127.0.0.2');
    const before = dropped(harness, 'wrong-source');
    association.send('127.0.0.1', echo.port, 'mine', stranger);
    await until(() => dropped(harness, 'wrong-source') === before + 1);
    await settle(association, echo);
    expect([stranger.received, association.udp.received]).toEqual([0, 1]);
    association.close();
  });

  it('drops datagrams from destinations to which the client has sent nothing', async () => {
    const association = await associate(harness.gateway, harness.control.sell());
    const [origin, stranger] = [await peer(), await peer()];
    const [, from] = await new Promise<[Buffer, { port: number }]>((fulfil) => {
      origin.socket.once('message', (...args) => fulfil(args));
      association.send('127.0.0.1', origin.port, 'hello');
    });
    const before = dropped(harness, 'unknown-sender');
    stranger.socket.send('intruder', from.port, '127.0.0.1');
    await until(() => dropped(harness, 'unknown-sender') === before + 1);
    origin.socket.send('expected', from.port, '127.0.0.1');
    expect((await association.udp.next()).subarray(10).toString()).toBe('expected');
    association.close();
  });

  it('follows a changed port of the client to a known destination at once', async () => {
    const association = await associate(harness.gateway, harness.control.sell());
    association.send('127.0.0.1', echo.port, 'one');
    await association.udp.next();
    const changed = await peer();
    association.send('127.0.0.1', echo.port, 'two', changed);
    expect((await changed.next()).subarray(10).toString()).toBe('two');
    expect(association.udp.received).toBe(1);
    association.close();
  });

  it('follows a changed port to a new destination only when the old one is silent', async () => {
    const { gateway, control } = await start({ limits: { clientPortSilenceMs: 150 } });
    const other = await echoing();
    const association = await associate(gateway, control.sell());
    association.send('127.0.0.1', echo.port, 'one');
    await association.udp.next();
    const changed = await peer();
    association.send('127.0.0.1', other.port, 'two', changed);
    await until(() => gateway.metrics.udp.dropped['wrong-source'] === 1);
    const sending = setInterval(() => association.send('127.0.0.1', other.port, 'three', changed), 20);
    expect((await changed.next()).subarray(10).toString()).toBe('three');
    clearInterval(sending);
    association.close();
  });

  it('accepts only the announced port first', async () => {
    const announced = await peer();
    const association = await associate(harness.gateway, harness.control.sell(), { port: announced.port });
    const before = dropped(harness, 'wrong-source');
    association.send('127.0.0.1', echo.port, 'other port');
    await until(() => dropped(harness, 'wrong-source') === before + 1);
    association.send('127.0.0.1', echo.port, 'announced', announced);
    expect((await announced.next()).subarray(10).toString()).toBe('announced');
    association.close();
  });

  it('ends in the moment in which its control connection ends, in any way', async () => {
    for (const leave of ['end', 'destroy', 'resetAndDestroy'] as const) {
      const association = await associate(harness.gateway, harness.control.sell());
      await settle(association, echo);
      association.control.socket[leave]();
      await untilGauge(harness.gateway, 'gateway_udp_associations', 0);
      await untilGauge(harness.gateway, 'gateway_tunnels', 0);
      // The port is free again, so another program can bind it.
      const probe = await openUdp('127.0.0.1', association.bound.port);
      probe.socket.close();
      association.close();
    }
  });

  it('ignores data on its control connection', async () => {
    const association = await associate(harness.gateway, harness.control.sell());
    association.control.socket.write(Buffer.alloc(1_000_000));
    await settle(association, echo);
    association.close();
  });

  it('works for a client that sends its request and an end in one segment', async () => {
    const client = await openClient(harness.gateway.port);
    const connection = harness.control.sell();
    const request = socks5Request('0.0.0.0', 0, 3);
    client.socket.end(Buffer.concat([socks5Greeting, socks5Login(connection), request]));
    await client.rest();
    await untilGauge(harness.gateway, 'gateway_udp_associations', 0);
  });

  it('relays a burst before the first reply', async () => {
    const origin = await peer();
    const association = await associate(harness.gateway, harness.control.sell());
    for (let index = 0; index < 12; index += 1) association.send('127.0.0.1', origin.port, `packet ${index}`);
    await until(() => origin.received === 12);
    expect(origin.waiting.map(String)).toEqual(Array.from({ length: 12 }, (_, index) => `packet ${index}`));
    association.close();
  });

  it('reaches IPv6 destinations over an additional socket', async () => {
    const origin = await echoing('::1');
    const association = await associate(harness.gateway, harness.control.sell());
    const address = Buffer.from([4, ...Array.from({ length: 15 }, () => 0), 1, origin.port >> 8, origin.port & 255]);
    const datagram = Buffer.concat([Buffer.from([0, 0, 0]), address, Buffer.from('six')]);
    association.sendRaw(datagram);
    expect((await association.udp.next()).toString('hex')).toBe(datagram.toString('hex'));
    association.close();
  });

  it('sends datagrams to IPv4-mapped IPv6 addresses over IPv4', async () => {
    const association = await associate(harness.gateway, harness.control.sell());
    const mapped = [...Array.from({ length: 10 }, () => 0), 255, 255, 127, 0, 0, 1];
    association.sendRaw(Buffer.from([0, 0, 0, 4, ...mapped, echo.port >> 8, echo.port & 255, 0x61]));
    expect((await association.udp.next()).toString('hex')).toBe(
      socks5Datagram('127.0.0.1', echo.port, 'a').toString('hex'),
    );
    association.close();
  });
});

describe('the destinations of an association', () => {
  it('are resolved once by the exit, and replies contain the address', async () => {
    const names = await startNameServer({ 'echo.test': ['127.0.0.1'] });
    stops.push(() => void names.stop());
    const harness = await start({ nameServers: [names.address] });
    const echo = await echoing();
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
    const names = await startNameServer({ 'held.test': ['127.0.0.1'] });
    stops.push(() => void names.stop());
    const harness = await start({ nameServers: [names.address] });
    const [origin, echo] = [await peer(), await echoing()];
    const association = await associate(harness.gateway, harness.control.sell());
    association.send('127.0.0.1', echo.port, 'known');
    await association.udp.next();
    for (let index = 0; index < 20; index += 1) association.send('held.test', origin.port, `${index}`);
    await until(() => dropped(harness, 'unresolved') === 4);
    await settle(association, echo);
    await until(() => names.queries.filter((name) => name === 'held.test').length === 2);
    names.release();
    await until(() => origin.received === 16);
    association.close();
  });

  it('drop datagrams to unknown names, and try the name again later', async () => {
    const table: Record<string, string[]> = {};
    const names = await startNameServer((name) => table[name]);
    stops.push(() => void names.stop());
    const harness = await start({ nameServers: [names.address] });
    const echo = await echoing();
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
      const names = await startNameServer({ 'inside.test': ['192.168.1.1', '10.0.0.1'] });
      stops.push(() => void names.stop());
      const harness = await start({ allowPrivate: false, nameServers: [names.address] });
      const connection = harness.control.sell();
      const association = await associate(harness.gateway, connection);
      for (let index = 0; index < 3; index += 1) association.send(host, 53, 'secret');
      await until(() => dropped(harness, 'destination-refused') === 3);
      expect(harness.gateway.metrics.udp.relayed.toExit).toBe(0);
      association.close();
      await harness.gateway.close();
      expect(connection.usedBytes).toBe(0);
    },
  );

  it('do not include the ports of other associations and port 25, even if private destinations are allowed', async () => {
    const harness = await start();
    const victim = await associate(harness.gateway, harness.control.sell());
    const association = await associate(harness.gateway, harness.control.sell());
    association.send('127.0.0.1', victim.bound.port, socks5Datagram('127.0.0.1', 9, 'loop'));
    association.send('127.0.0.1', 25, 'mail');
    await until(() => dropped(harness, 'destination-refused') === 2);
    victim.close();
    association.close();
  });

  it('are limited: the one without traffic for longest is evicted and can no longer reply', async () => {
    const harness = await start({ limits: { destinationsPerAssociation: 2 } });
    const origins = [await peer(), await peer(), await peer()];
    const association = await associate(harness.gateway, harness.control.sell());
    const ports: number[] = [];
    for (const { port, socket } of origins) {
      const arrived = once(socket, 'message') as Promise<[Buffer, { port: number }]>;
      association.send('127.0.0.1', port, 'hello');
      ports.push((await arrived)[1].port);
    }
    origins[0]!.socket.send('evicted', ports[0]!, '127.0.0.1');
    await until(() => dropped(harness, 'unknown-sender') === 1);
    origins[1]!.socket.send('kept', ports[1]!, '127.0.0.1');
    expect((await association.udp.next()).subarray(10).toString()).toBe('kept');
    association.close();
  });

  it('are limited per second, and so are datagrams without payload', async () => {
    const harness = await start({ limits: { newTunnelsPerSecond: 0.001, newTunnelsBurst: 3 } });
    const echo = await echoing();
    const association = await associate(harness.gateway, harness.control.sell());
    for (const port of [9_001, 9_002, 9_003, 9_004, 9_005]) association.send('127.0.0.1', port, 'scan');
    await until(() => dropped(harness, 'rate') === 2);
    association.send('127.0.0.1', 9_001, '');
    await until(() => dropped(harness, 'rate') === 3);
    association.send('127.0.0.1', echo.port, 'no');
    await until(() => dropped(harness, 'rate') === 4);
    association.close();
  });
});

describe('the exit of an association', () => {
  it('binds datagrams to its address, and has no other route', async () => {
    const harness = await start();
    const origin = await peer('127.0.0.1');
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
    const harness = await start();
    const connection = harness.control.sell({ exit: { kind: 'local-address', address: '192.0.2.77' } });
    const association = await associate(harness.gateway, connection);
    association.send('127.0.0.1', 9, 'hello');
    await until(() => dropped(harness, 'unresolved') === 1);
    association.close();
  });
});

describe('the credit of an association', () => {
  it('passes datagrams as a whole or not at all', async () => {
    const harness = await start({ limits: { updateIntervalMs: 20 } });
    const origin = await peer();
    const connection = harness.control.sell({ allowedBytes: 2_500 });
    const association = await associate(harness.gateway, connection);
    for (let index = 0; index < 3; index += 1) association.send('127.0.0.1', origin.port, Buffer.alloc(1_000));
    await until(() => dropped(harness, 'no-credit') === 1);
    expect(origin.received).toBe(2);
    association.send('127.0.0.1', origin.port, Buffer.alloc(400));
    await until(() => origin.received === 3);
    expect(connection.state).toBe('final');
    association.close();
    await until(() => connection.usedBytes === 2_400);
  });

  it('closes the control connection when the last byte is used, and charges exactly the relayed bytes', async () => {
    const harness = await start({ limits: { updateIntervalMs: 20 } });
    const echo = await echoing();
    const connection = harness.control.sell({ allowedBytes: 2_000 });
    const association = await associate(harness.gateway, connection);
    association.send('127.0.0.1', echo.port, Buffer.alloc(1_000));
    expect((await association.udp.next()).length).toBe(1_010);
    await association.control.rest();
    await until(() => connection.endedAtBytes === 2_000);
    expect(await associate(harness.gateway, connection)).toMatchObject({ reply: 2 });
  });

  it('continues when a late grant arrives', async () => {
    const harness = await start({ limits: { updateIntervalMs: 20 } });
    const origin = await peer();
    const connection = harness.control.sell({ grantStepBytes: 1_500 });
    const association = await associate(harness.gateway, connection);
    const sending = setInterval(() => association.send('127.0.0.1', origin.port, Buffer.alloc(1_000)), 5);
    await until(() => origin.received >= 20);
    clearInterval(sending);
    association.close();
    await untilGauge(harness.gateway, 'gateway_udp_associations', 0);
    await until(() => connection.usedBytes === origin.received * 1_000);
  });

  it('ends with the connection, by the end watch', async () => {
    const harness = await start();
    const connection = harness.control.sell();
    const association = await associate(harness.gateway, connection);
    await until(() => harness.control.held.size > 0);
    harness.control.announceEnd(connection, 'USER');
    await association.control.rest();
    await untilGauge(harness.gateway, 'gateway_udp_associations', 0);
  });

  it('ends when the password changes', async () => {
    const harness = await start();
    const connection = harness.control.sell();
    const association = await associate(harness.gateway, connection);
    harness.control.changeAccess(connection, { password: 'another-password' });
    harness.control.announceAccess(connection);
    await association.control.rest();
  });
});

describe('the limits of associations', () => {
  it('close one without traffic, but not one with traffic', async () => {
    const harness = await start({ limits: { udpIdleMs: 200 } });
    const echo = await echoing();
    const [idle, busy] = [
      await associate(harness.gateway, harness.control.sell()),
      await associate(harness.gateway, harness.control.sell()),
    ];
    const sending = setInterval(() => busy.send('127.0.0.1', echo.port, 'alive'), 20);
    await idle.control.rest();
    clearInterval(sending);
    await untilGauge(harness.gateway, 'gateway_udp_associations', 0);
    await busy.control.rest();
  });

  it('do not let replies alone keep an association open', async () => {
    const harness = await start({ limits: { udpIdleMs: 200 } });
    const origin = await peer();
    const association = await associate(harness.gateway, harness.control.sell());
    const arrived = once(origin.socket, 'message') as Promise<[Buffer, { port: number }]>;
    association.send('127.0.0.1', origin.port, 'subscribe');
    const [, from] = await arrived;
    const sending = setInterval(() => origin.socket.send('news', from.port, '127.0.0.1'), 10);
    await association.control.rest();
    clearInterval(sending);
  });

  it('refuse another one of the same connection, or of the node, with reply 1', async () => {
    const harness = await start({ limits: { associationsPerConnection: 2, associationsPerNode: 3 } });
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
    const harness = await start({ limits: { tunnelsPerNode: 10 } });
    const [greedy, modest] = [harness.control.sell(), harness.control.sell()];
    for (let index = 0; index < 7; index += 1) expect((await associate(harness.gateway, greedy)).reply).toBe(0);
    expect((await associate(harness.gateway, modest)).reply).toBe(0);
    expect((await associate(harness.gateway, greedy)).reply).toBe(1);
    const { port } = await listenLocally((socket) => socket.resume());
    expect((await socks5Connect(harness.gateway, greedy, '127.0.0.1', port)).reply).toBe(1);
    expect((await socks5Connect(harness.gateway, modest, '127.0.0.1', port)).reply).toBe(0);
  });

  it('open hundreds of associations and release all of their sockets', async () => {
    const harness = await start({ limits: { newTunnelsBurst: 1_000 } });
    const echo = await echoing();
    const associations: TestAssociation[] = [];
    for (let customer = 0; customer < 4; customer += 1) {
      const connection = harness.control.sell();
      for (let index = 0; index < 50; index += 1) associations.push(await associate(harness.gateway, connection));
    }
    await untilGauge(harness.gateway, 'gateway_udp_associations', 200);
    await Promise.all(associations.map((association) => settle(association, echo)));
    for (const association of associations) association.close();
    await untilGauge(harness.gateway, 'gateway_udp_associations', 0);
    await untilGauge(harness.gateway, 'gateway_tunnels', 0);
  });

  it('drop a flood, so that another customer is served meanwhile', async () => {
    const harness = await start({ limits: { datagramsPerSecond: 500 } });
    const echo = await echoing();
    const flooding = await associate(harness.gateway, harness.control.sell());
    const honest = await associate(harness.gateway, harness.control.sell());
    const flood = setInterval(() => {
      for (let index = 0; index < 200; index += 1) flooding.send('127.0.0.1', echo.port, 'flood');
    }, 1);
    await until(() => dropped(harness, 'rate') > 2_000);
    for (let round = 0; round < 20; round += 1) await settle(honest, echo);
    clearInterval(flood);
    flooding.close();
    honest.close();
  });

  it('are drained: existing ones continue, new ones are refused, and all end at last', async () => {
    const harness = await start();
    const echo = await echoing();
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

describe('the address in the reply', () => {
  it('is the public address of the settings, of the same family', async () => {
    const harness = await start({ publicAddresses: ['2001:db8::9', '192.0.2.9'] });
    const association = await associate(harness.gateway, harness.control.sell());
    expect(association.bound.address).toBe('192.0.2.9');
    association.close();
  });
});
