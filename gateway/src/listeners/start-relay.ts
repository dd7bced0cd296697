import type { Socket } from 'node:net';
import type { GatewayContext } from '../context.ts';
import type { Tunnel } from '../tunnel.ts';

/** Hands two connected, paused sockets to the relay. From here on the tunnel alone closes them. */
export function startRelay(
  { relay, limits }: GatewayContext,
  tunnel: Tunnel,
  sockets: { client: Socket; exit: Socket; early: Buffer },
): void {
  if (sockets.client.destroyed) {
    sockets.exit.destroy();
    tunnel.close('client-failed');
    return;
  }
  const running = relay.start({
    ...sockets,
    meter: tunnel.meter,
    limits,
    halfClosed: () => tunnel.halfClosed(),
    ended: (end) => tunnel.close(end),
  });
  tunnel.carriedBy(running);
}
