import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../../tools/ports.mjs';
import {
  type Harness,
  openClient,
  socks5Greeting,
  socks5Login,
  socks5Request,
  startHarness,
  untilGauge,
} from '../../test/gateway-harness.ts';
import { hasIpv6, until } from '../../test/sockets.ts';
import { dropped, openEchoing, openPeer, settle, startNode } from '../../test/udp-harness.ts';
import { associate, openEcho, openUdp, socks5Datagram, type UdpPeer } from '../../test/udp.ts';

const toLoopback6 = (port: number) =>
  Buffer.from([0, 0, 0, 4, ...Array.from({ length: 15 }, () => 0), 1, port >> 8, port & 255, ...Buffer.from('six')]);

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

  it('has a separate port within the range of UDP ports, on the address to which the client connected', async () => {
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
    const origin = await openPeer();
    const connection = harness.control.sell();
    const association = await associate(harness.gateway, connection);
    origin.socket.on('message', (_message, from) => origin.socket.send(Buffer.alloc(65_500), from.port, from.address));
    association.send('127.0.0.1', origin.port, 'ab');
    await until(() => dropped(harness, 'too-large') === 1);
    await settle(association, echo);
    await expect.poll(() => connection.usedBytes).toBe(2 + 2 * 'settled'.length);
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
    const stranger = await openPeer('127.0.0.2');
    const before = dropped(harness, 'wrong-source');
    association.send('127.0.0.1', echo.port, 'mine', stranger);
    await until(() => dropped(harness, 'wrong-source') === before + 1);
    await settle(association, echo);
    expect([stranger.received, association.udp.received]).toEqual([0, 1]);
    association.close();
  });

  it('drops datagrams from destinations to which the client has sent nothing', async () => {
    const association = await associate(harness.gateway, harness.control.sell());
    const [origin, stranger] = [await openPeer(), await openPeer()];
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

  it('never follows a changed port: a neighbour behind the same NAT cannot take the association', async () => {
    const connection = harness.control.sell();
    const association = await associate(harness.gateway, connection);
    await settle(association, echo);
    const used = connection.usedBytes;
    const neighbour = await openPeer();
    const before = dropped(harness, 'wrong-source');
    const now = performance.now.bind(performance);
    // The client is silent for long, but not until the idle timeout.
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
    onTestFinished(() => clock.mockRestore());
    association.send('127.0.0.1', await freePort(), 'to a new destination', neighbour);
    association.send('127.0.0.1', echo.port, 'to a known one', neighbour);
    await until(() => dropped(harness, 'wrong-source') === before + 2);
    await settle(association, echo);
    expect(neighbour.received).toBe(0);
    expect(connection.usedBytes - used).toBeLessThanOrEqual(2 * 2 * 'settled'.length);
    association.close();
  });

  it.each([
    ['the port of a destination', '127.0.0.1', 443],
    ['an address and a port in front of a NAT', '192.168.1.7', 50_000],
    ['a name', 'client.test', 50_000],
  ])('relays the first datagram of a client whose request contains %s', async (_, host, port) => {
    const association = await associate(harness.gateway, harness.control.sell(), { host, port });
    association.send('127.0.0.1', echo.port, 'first');
    expect((await association.udp.next()).subarray(10).toString()).toBe('first');
    association.close();
  });

  it('relays the first datagram of a client that announces its own address and port, and no other', async () => {
    const announced = await openPeer();
    const association = await associate(harness.gateway, harness.control.sell(), {
      host: '127.0.0.1',
      port: announced.port,
    });
    association.send('127.0.0.1', echo.port, 'announced', announced);
    expect((await announced.next()).subarray(10).toString()).toBe('announced');
    const before = dropped(harness, 'wrong-source');
    association.send('127.0.0.1', echo.port, 'other port');
    await until(() => dropped(harness, 'wrong-source') === before + 1);
    association.close();
  });

  it('ends at once when its control connection ends, in any way', async () => {
    for (const leave of ['end', 'destroy', 'resetAndDestroy'] as const) {
      const association = await associate(harness.gateway, harness.control.sell());
      await settle(association, echo);
      association.control.socket[leave]();
      await untilGauge(harness.gateway, 'gateway_udp_associations', 0);
      expect(await untilGauge(harness.gateway, 'gateway_tunnels', 0)).toBe(0);
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
    expect(association.udp.waiting).toEqual([]);
    association.close();
  });

  it('works for a client that sends its request and an end in one segment', async () => {
    const client = await openClient(harness.gateway.port);
    const connection = harness.control.sell();
    const request = socks5Request('0.0.0.0', 0, 3);
    client.socket.end(Buffer.concat([socks5Greeting, socks5Login(connection), request]));
    await client.rest();
    expect(await untilGauge(harness.gateway, 'gateway_udp_associations', 0)).toBe(0);
  });

  it('relays a burst before the first reply', async () => {
    const origin = await openPeer();
    const association = await associate(harness.gateway, harness.control.sell());
    for (let index = 0; index < 12; index += 1) association.send('127.0.0.1', origin.port, `packet ${index}`);
    await until(() => origin.received === 12);
    expect(origin.waiting.map(String)).toEqual(Array.from({ length: 12 }, (_, index) => `packet ${index}`));
    association.close();
  });

  it.runIf(hasIpv6)('reaches IPv6 destinations over an additional socket', async () => {
    const origin = await openEchoing('::1');
    const association = await associate(harness.gateway, harness.control.sell());
    const datagram = toLoopback6(origin.port);
    association.sendRaw(datagram);
    expect((await association.udp.next()).toString('hex')).toBe(datagram.toString('hex'));
    association.close();
  });

  it.runIf(!hasIpv6)(
    'drops datagrams to IPv6 destinations on this machine, which has no IPv6, and relays others',
    async () => {
      // Its kernel refuses a socket or, if IPv6 is only disabled, each sending.
      const lost = () => dropped(harness, 'unresolved') + dropped(harness, 'network-error');
      const before = lost();
      const association = await associate(harness.gateway, harness.control.sell());
      association.sendRaw(toLoopback6(echo.port));
      await until(() => lost() === before + 1);
      await settle(association, echo);
      expect(lost()).toBe(before + 1);
      association.close();
    },
  );

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

describe('the address in the reply', () => {
  it('is the public address of the settings, of the same family', async () => {
    const harness = await startNode({ publicAddresses: ['2001:db8::9', '192.0.2.9'] });
    const association = await associate(harness.gateway, harness.control.sell());
    expect(association.bound.address).toBe('192.0.2.9');
    association.close();
  });
});
