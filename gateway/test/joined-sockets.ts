import type { Socket } from 'node:net';
import { Credit, type CreditGrant } from '../src/metering/credit.ts';
import { Meter } from '../src/metering/meter.ts';
import type { SpeedLimit } from '../src/metering/speed-limit.ts';
import type { Pipe, PipeEnd, Relay } from '../src/pipe/pipe.ts';
import { TcpSide } from '../src/pipe/tcp-side.ts';
import { connectLocally, listenLocally, until } from './sockets.ts';

export interface JoinedSockets {
  /** The peers of the two joined sockets. */
  readonly client: Socket;
  readonly origin: Socket;
  readonly credit: Credit;
  readonly meter: Meter;
  /** Of the connection; the operator may change them. */
  readonly limits: { speed: SpeedLimit | undefined };
  readonly pipe: Pipe;
  readonly ended: Promise<PipeEnd>;
  readonly events: string[];
}

export const UNLIMITED: CreditGrant = { grantedBytes: Number.MAX_SAFE_INTEGER, state: 'open' };
/** Destroyed by `closePipes`. */
export const opened: Socket[] = [];

/** Closes all sockets of this file's pipes. */
export function closePipes(): void {
  for (const socket of opened.splice(0)) socket.destroy();
}

async function pair(): Promise<[far: Socket, near: Socket]> {
  const accepted: Socket[] = [];
  const { server, port } = await listenLocally((socket) => accepted.push(socket.pause()));
  const far = await connectLocally(port);
  await until(() => accepted.length === 1);
  server.close();
  opened.push(far, ...accepted);
  return [far, accepted[0] as Socket];
}

/**
 * Two pairs of connected sockets, joined by the relay.
 * @param clients the pair of the client, if another program is the client
 */
export async function joined(
  relay: Relay,
  grant: CreditGrant | Credit = UNLIMITED,
  early: Buffer = Buffer.alloc(0),
  clients: Promise<[far: Socket, near: Socket]> = pair(),
): Promise<JoinedSockets> {
  const [client, nearClient] = await clients;
  const [origin, nearOrigin] = await pair();
  const events: string[] = [];
  const credit =
    grant instanceof Credit
      ? grant
      : new Credit({ ...grant, usedBytes: 0, uploadedBytes: 0 }, Number.MAX_SAFE_INTEGER, {
          due: () => events.push('due'),
          ended: () => events.push('ended'),
          spent: () => {
            events.push('spent');
            meter.stop();
            pipe.stop('deliver');
          },
        });
  const wait = {
    timeoutMs: 60_000,
    slowed: () => {},
    started: () => events.push('wait'),
    finished: () => {},
    timedOut: () => events.push('late'),
  };
  const limits: { speed: SpeedLimit | undefined } = { speed: undefined };
  const meter = new Meter({ credit, limits }, { toExit: 0, toClient: 0 }, wait);
  const delivery = { lingerMs: 50, flushMs: 60_000 };
  let pipe: Pipe = { stop: () => {}, replaceClient: () => {} };
  const ended = new Promise<PipeEnd>((fulfil) => {
    pipe = relay.start({
      client: new TcpSide(nearClient, delivery),
      exit: new TcpSide(nearOrigin, delivery),
      early,
      meter,
      exitClosed: () => {},
      halfClosed: () => events.push('half-closed'),
      ended: fulfil,
    });
  });
  return { client, origin, credit, meter, limits, pipe, ended, events };
}
