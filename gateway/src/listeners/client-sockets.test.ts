import { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { FakeConnection } from '../../test/control-plane.ts';
import {
  basic,
  type Harness,
  openClient,
  readMetric,
  socks5Connect,
  startHarness,
} from '../../test/gateway-harness.ts';
import { listenLocally, type Reader, until } from '../../test/sockets.ts';
import { defaultLimits, type Limits } from '../limits.ts';
import type { Connection } from '../connections/connection.ts';
import type { ClientSocket } from './client-socket.ts';
import { SocketTransport } from './client-transport.ts';
import { ClientSockets, type SocketLimit } from './client-sockets.ts';

const stops: (() => Promise<void>)[] = [];
const opened: Reader[] = [];

async function start(limits: Partial<Limits>): Promise<Harness> {
  const harness = await startHarness({ limits });
  stops.push(() => harness.stop());
  return harness;
}

afterEach(async () => {
  for (const { socket } of opened.splice(0)) socket.destroy();
  for (const stop of stops.splice(0)) await stop();
});

const CLOSED = 'gateway_client_sockets_closed_total';

/** Waits until the gateway has accepted the client, so that clients are accepted in the order of the test. */
async function open({ gateway }: Harness, localAddress?: string): Promise<Reader> {
  const seen = async () => (await readMetric(gateway, 'gateway_client_sockets')) + (await readMetric(gateway, CLOSED));
  const before = await seen();
  const client = await openClient(gateway.port, localAddress);
  opened.push(client);
  while ((await seen()) === before) await new Promise((fulfil) => setTimeout(fulfil, 1));
  return client;
}

async function tunnel({ gateway }: Harness, connection: FakeConnection, port: number) {
  const { client, reply } = await socks5Connect(gateway, connection, '127.0.0.1', port);
  opened.push(client);
  return { client, reply };
}

const echo = () => listenLocally((socket) => socket.pipe(socket));
const isOpen = ({ socket }: Reader) => !socket.destroyed && !socket.readableEnded;

/** Sends an absolute-form request on a persistent connection. @returns the status */
async function request(client: Reader, connection: FakeConnection, port: number): Promise<string> {
  const fields = `Host: 127.0.0.1:${port}\r\nProxy-Authorization: ${basic(connection)}\r\n`;
  client.socket.write(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\n${fields}\r\n`);
  const head = await client.takeUntil('\r\n\r\n');
  await client.take(Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0));
  return head.slice(9, 12);
}

async function startWebServer(): Promise<number> {
  const { port } = await listenLocally((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
  });
  return port;
}

describe('client sockets', () => {
  it('are bounded per network, including persistent ones after a 407', async () => {
    const harness = await start({ clientSocketsPerNetwork: 4, loginFailuresPerMinute: 0 });
    const wrong = { ...harness.control.sell(), password: 'guessed' };
    const clients: Reader[] = [];
    for (let index = 0; index < 10; index += 1) {
      const client = await open(harness);
      expect(await request(client, wrong, 9)).toBe('407');
      clients.push(client);
    }
    await until(() => clients.filter(isOpen).length === 4);
    expect(clients.slice(6).every(isOpen)).toBe(true);
    expect(await readMetric(harness.gateway, 'gateway_client_sockets')).toBe(4);
  });

  it('are bounded per connection, including persistent ones after a request', async () => {
    const harness = await start({ clientSocketsPerConnection: 3 });
    const [one, other] = [harness.control.sell(), harness.control.sell()];
    const port = await startWebServer();
    const otherClient = await open(harness);
    expect(await request(otherClient, other, port)).toBe('200');
    const clients: Reader[] = [];
    for (let index = 0; index < 6; index += 1) {
      const client = await open(harness);
      expect(await request(client, one, port)).toBe('200');
      clients.push(client);
    }
    await until(() => clients.filter(isOpen).length === 3);
    expect([...clients.slice(3), otherClient].every(isOpen)).toBe(true);
    expect(await request(clients[5]!, one, port)).toBe('200');
  });

  it('of a connection whose tunnels use all of them get 429, and no tunnel is closed', async () => {
    const harness = await start({ clientSocketsPerConnection: 2 });
    const connection = harness.control.sell();
    const { port } = await echo();
    const tunnels = [await tunnel(harness, connection, port), await tunnel(harness, connection, port)];
    const late = await open(harness);
    expect(await request(late, connection, port)).toBe('429');
    for (const { client } of tunnels) {
      client.socket.write('still');
      expect((await client.take(5)).toString()).toBe('still');
    }
  });

  it('with pipelined requests are closed at the first one beyond the limit', async () => {
    const harness = await start({ newTunnelsPerSecond: 0, newTunnelsBurst: 1 });
    const connection = harness.control.sell();
    const port = await startWebServer();
    const client = await open(harness);
    const fields = `Host: 127.0.0.1:${port}\r\nProxy-Authorization: ${basic(connection)}\r\n`;
    client.socket.write(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\n${fields}\r\n`.repeat(10));
    const { bytes } = await client.rest();
    expect(bytes.toString().match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 429']);
  });

  it('without a handshake do not lock out others in their network: each new one evicts the one waiting longest', async () => {
    const harness = await start({ halfOpenPerNetwork: 3 });
    const connection = harness.control.sell();
    const { port } = await echo();
    const silent: Reader[] = [];
    for (let index = 0; index < 5; index += 1) silent.push(await open(harness));
    await until(() => silent.filter(isOpen).length === 3);
    expect((await tunnel(harness, connection, port)).reply).toBe(0);
    await until(() => silent.filter(isOpen).length === 2);
    expect(silent.slice(3).every(isOpen)).toBe(true);
    expect(await readMetric(harness.gateway, CLOSED)).toBe(3);
  });

  it('without a handshake from many networks do not lock out another network', async () => {
    const harness = await start({ halfOpenPerNode: 4 });
    const { port } = await echo();
    const silent: Reader[] = [];
    for (let index = 0; index < 8; index += 1) silent.push(await open(harness, `127.0.1.${index + 1}`));
    expect((await tunnel(harness, harness.control.sell(), port)).reply).toBe(0);
    await until(() => silent.filter(isOpen).length === 3);
    expect(await readMetric(harness.gateway, 'gateway_half_open')).toBe(3);
  });

  it('are bounded per node: an idle persistent one is evicted, a tunnel is not', async () => {
    const harness = await start({ clientSocketsPerNode: 3 });
    const connection = harness.control.sell();
    const { port } = await echo();
    const idle = await open(harness);
    expect(await request(idle, connection, await startWebServer())).toBe('200');
    await expect.poll(() => readMetric(harness.gateway, 'gateway_client_sockets_waiting')).toBe(1);
    const tunnels = [await tunnel(harness, connection, port), await tunnel(harness, connection, port)];
    tunnels.push(await tunnel(harness, connection, port));
    await until(() => !isOpen(idle));
    await openClient(harness.gateway.port).catch(() => undefined); // The reset may arrive before the connection is established.
    await expect.poll(() => readMetric(harness.gateway, CLOSED)).toBe(2);
    expect(tunnels.map(({ client, reply }) => isOpen(client) && reply)).toEqual([0, 0, 0]);
    tunnels[0]!.client.socket.destroy();
    await expect.poll(() => readMetric(harness.gateway, 'gateway_client_sockets')).toBe(2);
    expect((await tunnel(harness, connection, port)).reply).toBe(0);
  });

  it('are removed when they close', async () => {
    const harness = await start({});
    const connection = harness.control.sell();
    const { port } = await echo();
    const clients = [(await tunnel(harness, connection, port)).client, await open(harness), await open(harness)];
    expect(await request(clients[2]!, connection, await startWebServer())).toBe('200');
    for (const { socket } of clients) socket.destroy();
    await expect.poll(() => readMetric(harness.gateway, 'gateway_client_sockets')).toBe(0);
    expect(await readMetric(harness.gateway, 'gateway_half_open')).toBe(0);
  });
});

/** A test host has no /64 of its own, so this uses an unconnected socket with a fake address. */
function accept(clients: ClientSockets, address: string) {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: address });
  return clients.accept(new SocketTransport(socket));
}

describe('networks', () => {
  const closed: SocketLimit[] = [];

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '2001:db8:1:3::1'],
    ['192.0.2.1', '::ffff:192.0.2.1', '192.0.2.2'],
  ])('%s and %s share a limit, %s does not', (one, same, other) => {
    closed.length = 0;
    const clients = new ClientSockets(
      { ...defaultLimits, halfOpenPerNetwork: 1 },
      {
        closedFor: (limit) => closed.push(limit),
        authenticatedAfter: () => {},
      },
    );
    const accepted = [accept(clients, one), accept(clients, other), accept(clients, same)];
    expect(closed).toEqual(['halfOpenPerNetwork']);
    expect(accepted.map((client) => client?.socket.destroyed)).toEqual([true, false, false]);
    for (const client of accepted) client?.socket.destroy();
  });
});

it('a /56 may have twice as many sockets as a /64, and a /48 four times as many', async () => {
  const limits = { ...defaultLimits, halfOpenPerNetwork: 2 };
  const clients = new ClientSockets(limits, { closedFor: () => {}, authenticatedAfter: () => {} });
  const open = (addresses: string[]) => addresses.map((address) => accept(clients, address));
  const ofOne56 = open(Array.from({ length: 8 }, (_, network) => `2001:db8:1:${network}::1`));
  expect(countOpen(ofOne56)).toBe(4);
  const ofOne48 = open(Array.from({ length: 12 }, (_, network) => `2001:db8:1:${network + 1}00::1`));
  expect([countOpen(ofOne56), countOpen(ofOne48)]).toEqual([0, 8]);
  const others = open(['2001:db8:2::1', '192.0.2.1']);
  expect([countOpen(others), clients.halfOpen]).toEqual([2, 10]);
  for (const client of [...ofOne48, ...others]) client?.socket.destroy();
  await expect.poll(() => clients.halfOpen).toBe(0);
});

function openSmall(halfOpenPerNode = 2): ClientSockets {
  const limits = { ...defaultLimits, halfOpenPerNode };
  return new ClientSockets(limits, { closedFor: () => {}, authenticatedAfter: () => {} });
}

const areOpen = (...accepted: (ClientSocket | undefined)[]) => accepted.map((client) => !client?.socket.destroyed);
const countOpen = (accepted: (ClientSocket | undefined)[]) => areOpen(...accepted).filter(Boolean).length;

describe('sockets without valid credentials', () => {
  it('are evicted in the order of their arrival, those that have sent nothing first', () => {
    const clients = openSmall();
    const active = accept(clients, '192.0.2.1');
    active?.receivedData();
    const silent = accept(clients, '192.0.2.2');
    const third = accept(clients, '192.0.2.3');
    expect(areOpen(active, silent, third)).toEqual([true, false, true]);
    third?.receivedData();
    const fourth = accept(clients, '192.0.2.4');
    expect(areOpen(active, third, fourth)).toEqual([false, true, true]);
    for (const client of [third, fourth]) client?.socket.destroy();
  });

  it('are not evicted before their first byte while most others have sent something, as attackers do', () => {
    const clients = openSmall(8);
    const attackers = Array.from({ length: 6 }, (_, index) => accept(clients, `198.51.100.${index}`));
    for (const client of attackers) client?.receivedData();
    const honest = [accept(clients, '192.0.2.1'), accept(clients, '192.0.2.2')];
    const seventh = accept(clients, '198.51.100.7');
    expect(areOpen(...honest, attackers[0])).toEqual([true, true, false]);
    // More than a quarter are silent now.
    const eighth = accept(clients, '198.51.100.8');
    expect(areOpen(...honest, attackers[1])).toEqual([false, true, true]);
    for (const client of [...attackers, ...honest, seventh, eighth]) client?.socket.destroy();
  });

  it('are evicted last if clients of their network have authenticated', () => {
    const clients = openSmall();
    accept(clients, '192.0.2.1')?.loggedIn({ id: 'connection' } as Connection);
    const known = accept(clients, '192.0.2.1');
    const strangers = Array.from({ length: 5 }, (_, index) => {
      const stranger = accept(clients, `198.51.100.${index}`);
      stranger?.receivedData();
      return stranger;
    });
    expect(areOpen(known, ...strangers)).toEqual([true, false, false, false, false, true]);
    expect(clients.halfOpen).toBe(2);
    for (const client of [known, ...strangers]) client?.socket.destroy();
  });

  it('of known networks are evicted from the connection that has most of them, the silent ones first', () => {
    const clients = openSmall(4);
    const attackers = ['198.51.100.1', '198.51.100.2', '198.51.100.3'];
    for (const address of attackers) accept(clients, address)?.loggedIn({ id: 'attacker' } as Connection);
    accept(clients, '192.0.2.1')?.loggedIn({ id: 'customer' } as Connection);
    const customer = accept(clients, '192.0.2.1');
    const [first, second, third] = attackers.map((address) => accept(clients, address));
    for (const client of [first, third]) client?.receivedData();
    const late = accept(clients, '192.0.2.1');
    expect(areOpen(customer, first, second, third, late)).toEqual([true, true, false, true, true]);
    // Two of each: the one that came first gives way.
    const last = accept(clients, attackers[0]!);
    expect(areOpen(customer, first, third, late, last)).toEqual([false, true, true, true, true]);
    expect(clients.halfOpen).toBe(4);
    for (const client of [first, third, late, last]) client?.socket.destroy();
  });
});
