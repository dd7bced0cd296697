/** @module-tag thorough */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDistantPort, ROUND_TRIPS_MS } from '../../test/distance.ts';
import {
  type Harness,
  openClient,
  socks5ConnectInSteps,
  socks5Greeting,
  socks5Login,
  socks5Request,
  untilGauge,
} from '../../test/gateway-harness.ts';
import { listenLocally, type Reader, until } from '../../test/sockets.ts';
import { startNode } from '../../test/udp-harness.ts';

const HONEST = 20;
/** Of each kind: silent ones, and ones that stop in their handshake. */
const SOCKETS_PER_SECOND = 200;
/** As many as a node has with a `ulimit -n` of 1,024. */
const limits = { halfOpenPerNode: 100, halfOpenPerNetwork: 50 };
const HALF_GREETING = Buffer.from([5, 2, 0]);

const echo = async () => (await listenLocally((socket) => socket.pipe(socket))).port;

/** One network each. */
const honestAddresses = (kind: number) => Array.from({ length: HONEST }, (_, index) => `127.9.${kind}.${1 + index}`);

const hostileAddress = (index: number) => `127.${10 + (index >> 14)}.${(index >> 6) & 255}.${1 + (index & 63)}`;

/** Opens sockets at an even rate, the first at once, from thousands of addresses or from these. */
function startFlood({ gateway }: Harness, sends?: Buffer, addresses?: readonly string[], first = 0): void {
  const clients: Promise<Reader | undefined>[] = [];
  const open = () => {
    const index = clients.length;
    const address = addresses?.[index % addresses.length] ?? hostileAddress(index);
    const opened = openClient(gateway.port, address).catch(() => undefined);
    clients.push(opened);
    if (sends) void opened.then((client) => client?.socket.write(sends));
  };
  for (let index = 0; index < first; index += 1) open();
  const timer = setInterval(open, 1_000 / SOCKETS_PER_SECOND);
  onTestFinished(async () => {
    clearInterval(timer);
    for (const client of await Promise.all(clients)) client?.socket.destroy();
  });
}

/** @returns how many of the honest clients, each from an address or all from the same one, got their tunnel */
async function countTunnels(
  port: number,
  { control }: Harness,
  originPort: number,
  addresses: readonly (string | undefined)[] = Array.from({ length: HONEST }),
): Promise<number> {
  const connection = control.sell();
  const tunnels = addresses.map(async (address) => {
    const origin = { host: '127.0.0.1', port: originPort };
    const { client, reply } = await socks5ConnectInSteps({ port }, connection, origin, address);
    client.socket.destroy();
    return reply;
  });
  const outcomes = await Promise.all(tunnels.map((tunnel) => tunnel.catch(() => 'closed')));
  return outcomes.filter((outcome) => outcome === 0).length;
}

/** Tells the node that a connection was bought from each of these addresses. */
async function buy({ control }: Harness, networks: readonly string[]): Promise<void> {
  await until(() => control.held.size > 0);
  const before = control.calls.watch;
  const bought = networks.map((network) => ({ connectionId: randomUUID(), network }));
  for (const respond of control.held) respond({ ended: [], bought });
  await until(() => control.calls.watch > before);
}

describe.each(ROUND_TRIPS_MS)('clients with a round trip of %i ms', (roundTripMs) => {
  it('all get their tunnels while strangers open silent sockets', async () => {
    const harness = await startNode({ limits });
    const originPort = await echo();
    const distant = await openDistantPort(harness.gateway.port, roundTripMs);
    onTestFinished(() => distant.stop());
    startFlood(harness);
    await untilGauge(harness.gateway, 'gateway_half_open', limits.halfOpenPerNode);
    expect(await countTunnels(distant.port, harness, originPort)).toBe(HONEST);
  });

  it('all get their tunnels while strangers of 300 networks greet, whether their networks are known or not', async () => {
    const halfOpenPerNode = 500;
    const harness = await startNode({ limits: { halfOpenPerNode } });
    const originPort = await echo();
    const distant = await openDistantPort(harness.gateway.port, roundTripMs);
    onTestFinished(() => distant.stop());
    const [bought, loggedIn, unknown] = [1, 2, 3].map((kind) => honestAddresses(kind)) as [
      string[],
      string[],
      string[],
    ];
    await buy(harness, bought);
    expect(await countTunnels(harness.gateway.port, harness, originPort, loggedIn)).toBe(HONEST);
    const addresses = Array.from({ length: 300 }, (_, index) => hostileAddress(index));
    startFlood(harness, socks5Greeting, addresses, halfOpenPerNode);
    await untilGauge(harness.gateway, 'gateway_half_open', halfOpenPerNode);
    const count = (from: string[]) => countTunnels(distant.port, harness, originPort, from);
    const counts = { bought: await count(bought), loggedIn: await count(loggedIn), unknown: await count(unknown) };
    expect(counts).toEqual({ bought: HONEST, loggedIn: HONEST, unknown: HONEST });
  });

  it('all get their first tunnel where they have bought it, while strangers also begin handshakes', async () => {
    const harness = await startNode({ limits: { ...limits, halfOpenPerNode: 40 } });
    const originPort = await echo();
    const distant = await openDistantPort(harness.gateway.port, roundTripMs);
    onTestFinished(() => distant.stop());
    await buy(harness, ['127.0.0.1']);
    startFlood(harness);
    startFlood(harness, HALF_GREETING);
    await untilGauge(harness.gateway, 'gateway_half_open', 40);
    expect(await countTunnels(distant.port, harness, originPort)).toBe(HONEST);
  });

  it('all get their tunnels, if they have had one, while strangers also begin handshakes', async () => {
    const harness = await startNode({ limits: { ...limits, halfOpenPerNode: 40 } });
    const originPort = await echo();
    const distant = await openDistantPort(harness.gateway.port, roundTripMs);
    onTestFinished(() => distant.stop());
    expect(await countTunnels(distant.port, harness, originPort)).toBe(HONEST);
    startFlood(harness);
    startFlood(harness, HALF_GREETING);
    await untilGauge(harness.gateway, 'gateway_half_open', 40);
    expect(await countTunnels(distant.port, harness, originPort)).toBe(HONEST);
  });

  it('all get their tunnels, if they have had one, while a customer begins handshakes from many networks', async () => {
    const harness = await startNode({ limits: { ...limits, halfOpenPerNode: 50 } });
    const originPort = await echo();
    const distant = await openDistantPort(harness.gateway.port, roundTripMs);
    onTestFinished(() => distant.stop());
    expect(await countTunnels(distant.port, harness, originPort)).toBe(HONEST);
    const attacker = harness.control.sell();
    const addresses = Array.from({ length: 60 }, (_, index) => hostileAddress(index));
    for (const address of addresses) {
      const origin = { host: '127.0.0.1', port: originPort };
      const { client } = await socks5ConnectInSteps(harness.gateway, attacker, origin, address);
      client.socket.destroy();
    }
    startFlood(harness, HALF_GREETING, addresses);
    startFlood(harness, HALF_GREETING, addresses);
    await untilGauge(harness.gateway, 'gateway_half_open', 50);
    expect(await countTunnels(distant.port, harness, originPort)).toBe(HONEST);
  });
});

describe('a client with valid credentials', () => {
  it('is not half-open any more, and its request is served', async () => {
    const { gateway, control } = await startNode();
    const connection = control.sell();
    const client = await openClient(gateway.port);
    client.socket.write(Buffer.concat([socks5Greeting, socks5Login(connection)]));
    await client.take(4);
    await untilGauge(gateway, 'gateway_half_open', 0);
    client.socket.write(socks5Request('127.0.0.1', await echo()));
    expect((await client.take(10))[1]).toBe(0);
    client.socket.destroy();
  });
});
