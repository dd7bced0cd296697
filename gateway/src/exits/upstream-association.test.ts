/** @module-tag thorough */
import type { Exit } from '@cellhop/contract/exits';
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openClient, socks5Greeting, socks5Login, socks5Request, untilGauge } from '../../test/gateway-harness.ts';
import { freePort } from '../../../tools/ports.mjs';
import { hasIpv6, until } from '../../test/sockets.ts';
import { startHttpUpstream } from '../../test/upstream.ts';
import { dropped, openEchoing, openPeer, resolving, startNode } from '../../test/udp-harness.ts';
import { associate, type TestAssociation } from '../../test/udp.ts';
import { hexOfIpv4, hexOfPort, startUdpUpstream, type UdpUpstreamSettings } from '../../test/udp-upstream.ts';
import type { GatewaySettings } from '../gateway.ts';

const LOOPBACK = hexOfIpv4('127.0.0.1');
const toHex = (text: string) => Buffer.from(text).toString('hex');

function exitAt(port: number, own: Partial<Exit> = {}): Exit {
  return { kind: 'socks5', id: randomUUID(), host: '127.0.0.1', port, ...own } as Exit;
}

/** Starts a node with a connection whose exit is a SOCKS5 server with UDP. */
async function startThrough(settings: UdpUpstreamSettings = {}, own: Partial<GatewaySettings> = {}) {
  const upstream = await startUdpUpstream(settings);
  onTestFinished(upstream.stop);
  const harness = await startNode(own);
  const { credentials } = settings;
  const exit = exitAt(upstream.port, credentials && { credentials });
  return { ...harness, upstream, connection: harness.control.sell({ exit }) };
}

/** Opens an association and relays one datagram, so that both ends know each other. */
async function startRelaying(settings?: UdpUpstreamSettings, own?: Partial<GatewaySettings>) {
  const node = await startThrough(settings, own);
  const echo = await openEchoing();
  const association = await associate(node.gateway, node.connection);
  association.send('127.0.0.1', echo.port, 'first');
  await association.udp.next();
  return { ...node, echo, association, server: node.upstream.associations[0]! };
}

const toPayload = (datagram: Buffer) => datagram.subarray(10).toString();

async function untilEnded(association: TestAssociation): Promise<void> {
  expect((await association.control.rest()).bytes).toHaveLength(0);
}

const toLoopback6 = (port: number) => Buffer.from(`00000004${'0'.repeat(31)}1${hexOfPort(port)}${toHex('six')}`, 'hex');

describe('an association through a SOCKS5 upstream', () => {
  it('relays datagrams over one association of the upstream, byte for byte, and counts payloads only', async () => {
    const credentials = { username: 'operator', password: 'secret' };
    const { upstream, server, association, echo, connection, gateway } = await startRelaying({ credentials });
    expect(upstream.logins).toEqual(['operator:secret']);
    expect(upstream.requests).toEqual(['05030001000000000000']);
    association.send('127.0.0.1', echo.port, 'hello');
    expect((await association.udp.next()).toString('hex')).toBe(
      `00000001${LOOPBACK}${hexOfPort(echo.port)}${toHex('hello')}`,
    );
    expect(server.received.at(-1)).toBe(`00000001${LOOPBACK}${hexOfPort(echo.port)}${toHex('hello')}`);
    const other = await openEchoing();
    association.send('127.0.0.1', other.port, 'another');
    expect(toPayload(await association.udp.next())).toBe('another');
    expect(upstream.associations).toHaveLength(1);
    await until(() => connection.usedBytes === 2 * 'firsthelloanother'.length);
    expect(connection.uploadedBytes).toBe('firsthelloanother'.length);
    association.close();
    await until(() => upstream.controls.size === 0);
    await untilGauge(gateway, 'gateway_udp_associations', 0);
  });

  it.runIf(hasIpv6)('reaches IPv6 destinations by the same association', async () => {
    const { upstream, server, association } = await startRelaying();
    const origin = await openEchoing('::1');
    const datagram = toLoopback6(origin.port);
    association.sendRaw(datagram);
    expect((await association.udp.next()).toString('hex')).toBe(datagram.toString('hex'));
    expect(server.received.at(-1)).toBe(datagram.toString('hex'));
    expect(upstream.associations).toHaveLength(1);
  });

  it.runIf(!hasIpv6)(
    'passes datagrams to IPv6 destinations on to an upstream without IPv6, as on this machine, which drops them',
    async () => {
      const { upstream, server, association, echo } = await startRelaying();
      const datagram = toLoopback6(echo.port);
      association.sendRaw(datagram);
      await until(() => server.received.at(-1) === datagram.toString('hex'));
      association.send('127.0.0.1', echo.port, 'four');
      expect(toPayload(await association.udp.next())).toBe('four');
      expect(upstream.associations).toHaveLength(1);
    },
  );

  it.each([
    ['unspecified', '0500000100000000PPPP'],
    ['unspecified IPv6', `05000004${'0'.repeat(32)}PPPP`],
    ['a private one, behind a NAT', '050000010a000001PPPP'],
    ['a loopback one of this node', '050000017f000002PPPP'],
    ['a name', '050000030472656c61PPPP'],
  ])('sends to the address of the upstream if that of its relay is %s', async (_, reply) => {
    const { server } = await startRelaying({ reply });
    expect(server.received).toHaveLength(1);
  });

  it('drops and counts datagrams that are not from the relay, and those that are not SOCKS5 datagrams', async () => {
    const { server, association, echo, ...harness } = await startRelaying();
    const valid = `00000001${LOOPBACK}${hexOfPort(echo.port)}${toHex('forged')}`;
    for (const address of ['127.0.0.1', '127.0.0.2']) {
      const stranger = await openPeer(address);
      const before = dropped(harness, 'unknown-sender');
      stranger.socket.send(Buffer.from(valid, 'hex'), server.gatewayPort, '127.0.0.1');
      await until(() => dropped(harness, 'unknown-sender') === before + 1);
    }
    const malformed = ['', '0000', '00000001', `00010001${valid.slice(8)}`, `000000030161${hexOfPort(echo.port)}61`];
    for (const datagram of malformed) server.reply(datagram);
    await until(() => dropped(harness, 'malformed') === malformed.length);
    server.reply(`00000101${valid.slice(8)}`);
    await until(() => dropped(harness, 'fragment') === 1);
    // From the relay, but with a sender to which the client has sent nothing.
    const before = dropped(harness, 'unknown-sender');
    server.reply(`00000001${hexOfIpv4('192.0.2.1')}${hexOfPort(53)}${toHex('unasked')}`);
    await until(() => dropped(harness, 'unknown-sender') === before + 1);
    association.send('127.0.0.1', echo.port, 'wanted');
    expect(toPayload(await association.udp.next())).toBe('wanted');
    expect(association.udp.received).toBe(2);
  });

  it.each(['end', 'destroy', 'resetAndDestroy'] as const)('ends when its upstream disconnects (%s)', async (leave) => {
    const { server, association, gateway, upstream } = await startRelaying();
    server.control[leave]();
    await untilEnded(association);
    await untilGauge(gateway, 'gateway_udp_associations', 0);
    expect(await untilGauge(gateway, 'gateway_tunnels', 0)).toBe(0);
    await until(() => upstream.controls.size === 0);
  });

  it('ends when its upstream disconnects right after its reply', async () => {
    const { connection, gateway, upstream } = await startThrough({ leavesAfterReply: true });
    const association = await associate(gateway, connection);
    expect([0, 1]).toContain(association.reply);
    await untilEnded(association);
    await untilGauge(gateway, 'gateway_udp_associations', 0);
    expect(upstream.controls.size).toBe(0);
  });

  it('ignores what the upstream sends on the control connection', async () => {
    const { server, association, echo } = await startRelaying();
    server.control.write(Buffer.alloc(500_000));
    association.send('127.0.0.1', echo.port, 'still');
    expect(toPayload(await association.udp.next())).toBe('still');
  });

  it('ends, with that of the upstream, when the money is used up', async () => {
    const { upstream, connection, gateway } = await startThrough({}, { limits: { updateIntervalMs: 20 } });
    connection.allowedBytes = 2_000;
    const echo = await openEchoing();
    const association = await associate(gateway, connection);
    association.send('127.0.0.1', echo.port, Buffer.alloc(1_000));
    expect((await association.udp.next()).length).toBe(1_010);
    await untilEnded(association);
    await until(() => connection.endedAtBytes === 2_000 && upstream.controls.size === 0);
  });

  it('sends the upstream only addresses that were checked here, never a name', async () => {
    const names = await resolving({ 'public.test': ['198.41.0.4'], 'rebind.test': ['10.0.0.1'] });
    const settings = { allowPrivate: false, nameServers: [names.address] };
    const { upstream, connection, ...harness } = await startThrough({}, settings);
    const association = await associate(harness.gateway, connection);
    for (const host of ['rebind.test', '10.0.0.1', '127.0.0.1', 'localhost']) association.send(host, 443, 'no');
    association.send('public.test', 443, 'yes');
    await until(
      () => dropped(harness, 'destination-prohibited') === 4 && upstream.associations[0]!.received.length === 1,
    );
    expect(upstream.associations[0]!.received).toEqual([
      `00000001${hexOfIpv4('198.41.0.4')}${hexOfPort(443)}${toHex('yes')}`,
    ]);
    association.close();
  });
});

describe('an upstream that opens no association', () => {
  it.each([
    ['because it does not know the command', '05070001000000000000', 7],
    ['because of its rules', '0502', 7],
    ['for an unknown reason', '0501', 1],
    ['and names no port', '050000017f0000010000', 1],
    ['and speaks another protocol', '53534820', 1],
  ])('%s', async (_, reply, expected) => {
    const { connection, gateway, upstream } = await startThrough({ reply });
    const association = await associate(gateway, connection);
    expect(association.reply).toBe(expected);
    await untilGauge(gateway, 'gateway_udp_associations', 0);
    await until(() => upstream.controls.size === 0);
  });

  it('because it is unreachable', async () => {
    const { gateway, control } = await startNode();
    const connection = control.sell({ exit: exitAt(await freePort()) });
    expect((await associate(gateway, connection)).reply).toBe(1);
  });

  it('because it is an HTTP proxy: reply 7, without a connection to it', async () => {
    const upstream = await startHttpUpstream();
    onTestFinished(upstream.stop);
    const { gateway, control } = await startNode();
    const connection = control.sell({ exit: exitAt(upstream.port, { kind: 'http' }) });
    expect((await associate(gateway, connection)).reply).toBe(7);
    expect(upstream.sockets.size).toBe(0);
  });

  it.each(['greeting', 'login', 'request'] as const)('because it is silent from the %s on', async (isSilentFrom) => {
    const credentials = { username: 'operator', password: 'secret' };
    const { connection, gateway, upstream } = await startThrough(
      { isSilentFrom, credentials },
      { limits: { dialMs: 100 } },
    );
    expect((await associate(gateway, connection)).reply).toBe(1);
    await until(() => upstream.controls.size === 0);
    await untilGauge(gateway, 'gateway_udp_associations', 0);
  });

  it.each(['end', 'destroy', 'resetAndDestroy'] as const)(
    'is released at once when the client leaves meanwhile (%s)',
    async (leave) => {
      const { connection, gateway, upstream } = await startThrough(
        { isSilentFrom: 'request' },
        { limits: { dialMs: 600_000 } },
      );
      const client = await openClient(gateway.port);
      client.socket.write(Buffer.concat([socks5Greeting, socks5Login(connection), socks5Request('0.0.0.0', 0, 3)]));
      await until(() => upstream.requests.length === 1);
      client.socket[leave]();
      await until(() => upstream.controls.size === 0);
      expect(await untilGauge(gateway, 'gateway_udp_associations', 0)).toBe(0);
    },
  );
});
