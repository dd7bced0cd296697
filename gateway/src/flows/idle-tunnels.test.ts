import { Socket } from 'node:net';
import { queryObjects } from 'node:v8';
import { expect, it } from 'vitest';
import { relays } from '../../test/accelerator.ts';
import { socks5Connect, startHarness } from '../../test/gateway-harness.ts';
import { listenLocally, type Reader } from '../../test/sockets.ts';
import { DialAbort } from '../exits/exit.ts';
import { Handshake } from '../listeners/handshake.ts';

const TUNNELS = 20;
const count = () => queryObjects(Socket, { format: 'count' });
/** Those of client and destination, and without native code the two of the gateway. */
const socketsOf = (relay: string) => (relay === 'splice' ? 2 : 4);

/** @param check runs while the tunnels are idle; `before` tells how many sockets of Node there were without them */
async function withIdleTunnels(
  relay: (typeof relays)[number],
  check: (before: number) => Promise<void>,
): Promise<void> {
  const harness = await startHarness({ relay });
  const connection = harness.control.sell();
  const held: Socket[] = [];
  const { port } = await listenLocally((socket) => held.push(socket.pause()));
  const clients: Reader[] = [];
  try {
    const before = count();
    for (let index = 0; index < TUNNELS; index += 1)
      clients.push((await socks5Connect(harness.gateway, connection, '127.0.0.1', port)).client);
    await expect.poll(() => held.length).toBe(TUNNELS);
    await check(before);
  } finally {
    for (const socket of [...held, ...clients.map((client) => client.socket)]) socket.destroy();
    await harness.stop();
  }
}

it.each(relays)('an idle tunnel with relay %s keeps no more sockets of Node than it has connections', (relay) =>
  withIdleTunnels(relay, async (before) => {
    const perTunnel = () => (count() - before) / TUNNELS;
    await expect.poll(perTunnel, { timeout: 10_000 }).toBeLessThan(socketsOf(relay) + 0.5);
    expect(perTunnel()).toBeGreaterThan(socketsOf(relay) - 0.5);
  }),
);

/** After a full collection. */
const living = () => Math.max(...[Handshake, DialAbort].map((each) => queryObjects(each, { format: 'count' })));

it.each(relays)('an idle tunnel with relay %s keeps neither its handshake nor its dial', (relay) =>
  withIdleTunnels(relay, () => expect.poll(living, { timeout: 10_000 }).toBeLessThan(TUNNELS / 2)),
);
