import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { relays } from '../../test/accelerator.ts';
import { socks5Connect, startHarness } from '../../test/gateway-harness.ts';
import { listenLocally, type Reader } from '../../test/sockets.ts';

const TUNNELS = 20;
const CHANNELS = ['net.server.socket', 'net.client.socket'];
const moving = relays.filter((relay) => relay !== 'streams');

it.each(moving)('an idle tunnel with relay %s does not keep the sockets that the relay has replaced', async (relay) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const harness = await startHarness({ relay });
  const connection = harness.control.sell();
  const held: Socket[] = [];
  const { port } = await listenLocally((socket) => held.push(socket.pause()));
  const created: WeakRef<Socket>[] = [];
  const note = (message: unknown) => created.push(new WeakRef((message as { socket: Socket }).socket));
  for (const channel of CHANNELS) subscribe(channel, note);
  const clients: Reader[] = [];
  try {
    for (let index = 0; index < TUNNELS; index += 1)
      clients.push((await socks5Connect(harness.gateway, connection, '127.0.0.1', port)).client);
    await expect.poll(() => held.length).toBe(TUNNELS);
    // Of each tunnel the client's, those of the gateway and that of the destination.
    const living = () => {
      collect();
      return created.filter((reference) => reference.deref()).length;
    };
    await expect.poll(living, { timeout: 10_000 }).toBeLessThan(2.5 * TUNNELS);
  } finally {
    for (const channel of CHANNELS) unsubscribe(channel, note);
    for (const socket of [...held, ...clients.map((client) => client.socket)]) socket.destroy();
    await harness.stop();
  }
});
