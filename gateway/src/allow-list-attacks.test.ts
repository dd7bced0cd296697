/** @module-tag thorough */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FakeConnection } from '../test/control-plane.ts';
import {
  basic,
  type Harness,
  openClient,
  socks4Request,
  socks5Greeting,
  socks5Login,
  socks5Request,
  untilGauge,
} from '../test/gateway-harness.ts';
import { freeDnsPort } from '../test/dns-client.ts';
import { openDnsClient, openResolver } from '../test/dns-harness.ts';
import { question, read } from '../test/dns-messages.ts';
import { hasIpv6, listenLocally, until } from '../test/sockets.ts';
import { dropped, openEchoing, openPeer, startNode } from '../test/udp-harness.ts';
import { openUdp, socks5Datagram } from '../test/udp.ts';

const LISTED = '127.0.0.9';
const STRANGER = '127.0.0.12';
const NO_PASSWORD = Buffer.from([5, 1, 0]);

interface Node extends Harness {
  readonly connection: FakeConnection;
  readonly origin: { readonly port: number; clients: number };
}

/** With a connection that lists an address, and an origin that answers each request. */
async function start(settings?: Parameters<typeof startNode>[0]): Promise<Node> {
  const harness = await startNode({ ...settings, limits: { updateIntervalMs: 20, ...settings?.limits } });
  const origin = { port: 0, clients: 0 };
  const { server, port } = await listenLocally((socket) => {
    origin.clients += 1;
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
  });
  onTestFinished(() => void server.close());
  origin.port = port;
  const connection = harness.control.sell({
    access: { revision: 1, passwordRevision: 1, allowList: [LISTED] },
  });
  return { ...harness, connection, origin };
}

/** Changes the list, and waits until the node has applied it: then it sends the next long poll. */
async function changeList({ control, connection }: Node, allowList: string[]): Promise<void> {
  await until(() => control.held.size > 0);
  const { watch } = control.calls;
  control.changeAccess(connection, { allowList });
  control.announceAccess(connection);
  await until(() => control.calls.watch > watch);
}

const getRequest = ({ origin }: Node, fields = '') =>
  `GET http://127.0.0.1:${origin.port}/ HTTP/1.1\r\nHost: 127.0.0.1:${origin.port}\r\n${fields}\r\n`;
const connectRequest = ({ origin }: Node, fields = '') =>
  `CONNECT 127.0.0.1:${origin.port} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`;
const passwordField = (connection: FakeConnection) => `Proxy-Authorization: ${basic(connection)}\r\n`;

async function statusOf(node: Node, request: string, from: string): Promise<number> {
  const client = await openClient(node.gateway.port, from);
  client.socket.write(request);
  const head = await client.takeUntil('\r\n\r\n');
  client.socket.destroy();
  return Number(head.slice(9, 12));
}

/** Requests an association without a password. @returns the control connection, and the port to which to send */
async function associateByAddress({ gateway }: Node, from: string) {
  const control = await openClient(gateway.port, from);
  control.socket.write(Buffer.concat([NO_PASSWORD, socks5Request('0.0.0.0', 0, 3)]));
  expect([...(await control.take(2))]).toEqual([5, 0]);
  const reply = await control.take(10);
  expect(reply[1]).toBe(0);
  const udp = await openUdp(from);
  onTestFinished(() => {
    control.socket.destroy();
    udp.socket.close();
  });
  return { control, udp, port: reply.readUInt16BE(8) };
}

const CLAIMS = [
  `X-Forwarded-For: ${LISTED}`,
  `Forwarded: for=${LISTED}`,
  `X-Real-IP: ${LISTED}`,
  `X-Client-IP: ${LISTED}`,
  `Via: 1.1 ${LISTED}`,
]
  .map((field) => `${field}\r\n`)
  .join('');
/** The binary header of the PROXY protocol: a TCP connection from the listed address. */
const PROXY_V2 = Buffer.concat([
  Buffer.from('0d0a0d0a000d0a515549540a2111000c', 'hex'),
  Buffer.from([127, 0, 0, 9, 127, 0, 0, 1, 4, 0, 4, 56]),
]);
const PROXY_V1 = `PROXY TCP4 ${LISTED} 127.0.0.1 1024 1080\r\n`;
const socks5NoPassword = ({ origin }: Node) => Buffer.concat([NO_PASSWORD, socks5Request('127.0.0.1', origin.port)]);

describe('a client whose address is not listed cannot claim another one:', () => {
  it.each<[string, (node: Node) => Buffer | string, string]>([
    ['fields of CONNECT', (node) => connectRequest(node, CLAIMS), 'HTTP/1.1 407 '],
    ['fields of an absolute-form request', (node) => getRequest(node, CLAIMS), 'HTTP/1.1 407 '],
    ['PROXY v1 before CONNECT', (node) => PROXY_V1 + connectRequest(node), 'HTTP/1.1 400 '],
    [
      'PROXY v1 before SOCKS5',
      (node) => Buffer.concat([Buffer.from(PROXY_V1), socks5NoPassword(node)]),
      'HTTP/1.1 400 ',
    ],
    [
      'PROXY v2 before CONNECT',
      (node) => Buffer.concat([PROXY_V2, Buffer.from(connectRequest(node))]),
      'HTTP/1.1 400 ',
    ],
    ['PROXY v2 before SOCKS5', (node) => Buffer.concat([PROXY_V2, socks5NoPassword(node)]), 'HTTP/1.1 400 '],
    ['SOCKS5', socks5NoPassword, '\u0005\u00ff'],
    [
      'SOCKS5 with an empty password',
      ({ origin }) =>
        Buffer.concat([
          socks5Greeting,
          socks5Login({ username: LISTED, password: '' }),
          socks5Request('127.0.0.1', origin.port),
        ]),
      '\u0005\u0002\u0001\u0001',
    ],
    ['UDP ASSOCIATE for it', () => Buffer.concat([NO_PASSWORD, socks5Request(LISTED, 5_000, 3)]), '\u0005\u00ff'],
    ['SOCKS4', ({ origin }) => socks4Request('127.0.0.1', origin.port, LISTED), '\u0000\u005d'],
  ])('%s', async (_, request, refusal) => {
    const node = await start();
    const client = await openClient(node.gateway.port, STRANGER);
    client.socket.write(request(node));
    expect((await client.take(refusal.length)).toString('latin1')).toBe(refusal);
    client.socket.destroy();
    await node.gateway.close();
    expect([node.origin.clients, node.connection.usedBytes]).toEqual([0, 0]);
  });

  it('and its use of the right password does not list it', async () => {
    const node = await start();
    expect(await statusOf(node, connectRequest(node, passwordField(node.connection)), STRANGER)).toBe(200);
    expect(await statusOf(node, connectRequest(node), STRANGER)).toBe(407);
    expect(await statusOf(node, getRequest(node), STRANGER)).toBe(407);
  });
});

describe('an association of a listed client', () => {
  it('takes datagrams from its own address alone, also not from other listed ones', async () => {
    const node = await start();
    const echo = await openEchoing();
    node.control.changeAccess(node.connection, { allowList: ['127.0.0.8/30'] });
    const { udp, port } = await associateByAddress(node, LISTED);
    const neighbour = await openPeer('127.0.0.10');
    const datagram = socks5Datagram('127.0.0.1', echo.port, 'hello');
    neighbour.socket.send(datagram, port, '127.0.0.1');
    await until(() => dropped(node, 'wrong-source') === 1);
    udp.socket.send(datagram, port, '127.0.0.1');
    expect(await udp.next()).toEqual(datagram);
    expect([echo.received, neighbour.received]).toEqual([1, 0]);
  });

  it('ends when its address is removed; no other association does', async () => {
    const node = await start();
    const echo = await openEchoing();
    await changeList(node, [LISTED, '127.0.0.10']);
    const [removed, stays] = [await associateByAddress(node, LISTED), await associateByAddress(node, '127.0.0.10')];
    const rest = removed.control.rest();
    await changeList(node, ['127.0.0.10']);
    expect((await rest).bytes).toHaveLength(0);
    await untilGauge(node.gateway, 'gateway_udp_associations', 1);
    const datagram = socks5Datagram('127.0.0.1', echo.port, 'hello');
    removed.udp.socket.send(datagram, removed.port, '127.0.0.1');
    stays.udp.socket.send(datagram, stays.port, '127.0.0.1');
    expect(await stays.udp.next()).toEqual(datagram);
    expect([echo.received, removed.udp.received]).toEqual([1, 0]);
  });
});

describe('a listed client whose address is removed', () => {
  it('is refused at the next request of its persistent connection', async () => {
    const node = await start();
    const client = await openClient(node.gateway.port, LISTED);
    client.socket.write(getRequest(node));
    expect(await client.takeUntil('ok')).toMatch(/^HTTP\/1\.1 200 /);
    await changeList(node, []);
    client.socket.write(getRequest(node));
    expect(await client.takeUntil('\r\n\r\n')).toMatch(/^HTTP\/1\.1 407 /);
    expect(node.origin.clients).toBe(1);
    client.socket.destroy();
  });

  it.each([1, 3])('is refused if it was let in and has not sent its request yet, of command %i', async (command) => {
    const node = await start();
    const client = await openClient(node.gateway.port, LISTED);
    client.socket.write(NO_PASSWORD);
    expect([...(await client.take(2))]).toEqual([5, 0]);
    await changeList(node, []);
    client.socket.write(socks5Request('127.0.0.1', node.origin.port, command));
    expect((await client.rest()).bytes[1]).not.toBe(0);
    expect(node.origin.clients).toBe(0);
  });
});

describe('requests of one persistent connection', () => {
  it('are each authenticated: none uses the password, the address or the connection of the one before', async () => {
    const node = await start();
    const other = node.control.sell();
    const client = await openClient(node.gateway.port, STRANGER);
    const send = async (fields = '') => {
      client.socket.write(getRequest(node, fields));
      const head = await client.takeUntil('\r\n\r\n');
      const status = Number(head.slice(9, 12));
      await client.take(status === 200 ? 2 : Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0));
      return status;
    };
    expect(await send(passwordField(other))).toBe(200);
    expect(await send()).toBe(407);
    expect(await send(passwordField({ ...other, password: 'wrong' }))).toBe(407);
    expect(await send(passwordField(node.connection))).toBe(200);
    client.socket.destroy();
    await node.gateway.close();
    expect(node.connection.usedBytes).toBe(other.usedBytes);
    expect(other.usedBytes).toBeGreaterThan(0);
  });
});

describe.runIf(hasIpv6)('a node that listens for IPv4 and IPv6 with one socket', () => {
  it('knows a listed IPv4 client, whose address it sees as an IPv4-mapped one, and no other', async () => {
    const dnsPort = await freeDnsPort();
    const resolver = await openResolver();
    const node = await start({ host: '::', nameServers: [resolver.address] });
    Object.assign(node.connection, { dnsPort });
    await changeList(node, [LISTED]);
    for (const [from, status] of [
      [LISTED, 200],
      [STRANGER, 407],
    ] as const) {
      expect(await statusOf(node, connectRequest(node), from)).toBe(status);
      expect(await statusOf(node, getRequest(node), from)).toBe(status);
    }
    const echo = await openEchoing();
    const { udp, port } = await associateByAddress(node, LISTED);
    udp.socket.send(socks5Datagram('127.0.0.1', echo.port, 'hello'), port, '127.0.0.1');
    expect((await udp.next()).subarray(10).toString()).toBe('hello');
    await untilGauge(node.gateway, 'gateway_dns_ports', 1);
    const [listed, stranger] = [await openDnsClient(dnsPort, LISTED), await openDnsClient(dnsPort, STRANGER)];
    stranger.send(question('stranger.test'));
    expect(read(await listed.ask(question('listed.test')))).toMatchObject({ address: '192.0.2.7' });
    expect(stranger.received).toEqual([]);
  });
});
