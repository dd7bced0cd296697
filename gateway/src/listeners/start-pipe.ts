import type { Socket } from 'node:net';
import type { GatewayContext } from '../context.ts';
import type { Pipe } from '../pipe/pipe.ts';
import type { Side } from '../pipe/side.ts';
import { TcpSide } from '../pipe/tcp-side.ts';
import type { Tunnel } from '../tunnel.ts';

/** Joins a client with the socket that its tunnel has dialled. From here on the tunnel alone closes both. */
export function startPipe(
  { mover, limits }: GatewayContext,
  tunnel: Tunnel,
  { client, exit, early }: { client: Side; exit: Socket; early: Buffer },
): Pipe {
  const pipe = mover.start({
    client,
    exit: new TcpSide(exit, limits, () => tunnel.exitClosed()),
    early,
    meter: tunnel.meter,
    halfClosed: () => tunnel.halfClosed(),
    ended: (end) => tunnel.close(end),
  });
  tunnel.movedBy(pipe);
  return pipe;
}
