import type { Socket } from 'node:net';
import { Credit, type CreditGrant } from '../src/metering/credit.ts';
import { Meter } from '../src/metering/meter.ts';
import type { SpeedLimit } from '../src/metering/speed-limit.ts';
import type { Pipe, PipeEnd, Relay, Side } from '../src/pipe/pipe.ts';
import { acceptDirectly } from '../src/pipe/direct-socket.ts';
import { RawSide } from '../src/pipe/raw-side.ts';
import { ignored, type RawSockets } from '../src/pipe/raw-sockets.ts';
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

const openedSides: Side[] = [];
const DELIVERY = { lingerMs: 50, flushMs: 60_000 };

/** Closes all sockets of this file's pipes. */
export function closePipes(): void {
  // Before their sockets are destroyed, which native code may have.
  for (const side of openedSides.splice(0)) side.close();
  for (const socket of opened.splice(0)) socket.destroy();
}

/** @param isDirect whether a relay can read from it without a second socket */
async function pair(isDirect: boolean): Promise<[far: Socket, near: Socket]> {
  const accepted: Socket[] = [];
  const { server, port } = await listenLocally((socket) => accepted.push(socket.pause()));
  if (isDirect) acceptDirectly(server, (socket) => accepted.push(socket.on('error', () => {}).pause()));
  const far = await connectLocally(port);
  await until(() => accepted.length === 1);
  server.close();
  // The pipe alone closes a socket from which it reads: native code may have its descriptor.
  opened.push(far, ...(isDirect ? [] : accepted));
  return [far, accepted[0] as Socket];
}

/** The same with a socket of native code. */
async function rawPair(sockets: RawSockets): Promise<[far: Socket, near: RawSide]> {
  const accepted: Socket[] = [];
  const { server, port } = await listenLocally((socket) => accepted.push(socket));
  const address = { address: Uint8Array.of(127, 0, 0, 1), port, localAddress: new Uint8Array(0), localPort: 0 };
  const raw = sockets.connect(address);
  await new Promise<void>((connected) => (raw.listener = { ...ignored, connected }));
  await until(() => accepted.length === 1);
  server.close();
  const far = accepted[0]!;
  const near = new RawSide(raw, { limits: DELIVERY });
  opened.push(far);
  openedSides.push(near);
  return [far, near];
}

async function sidePair(sockets: RawSockets | undefined, isDirect: boolean): Promise<[far: Socket, near: Side]> {
  return sockets ? rawPair(sockets) : toSide(pair(isDirect));
}

async function toSide(sockets: Promise<[far: Socket, near: Socket]>): Promise<[far: Socket, near: Side]> {
  const [far, socket] = await sockets;
  const near = new TcpSide(socket, DELIVERY);
  openedSides.push(near);
  return [far, near];
}

/**
 * Two pairs of connected sockets, joined by the relay: sockets of native code if it has them.
 * @param clients the pair of the client, if another program is the client
 */
export async function joined(
  relay: Relay,
  grant: CreditGrant | Credit = UNLIMITED,
  early: Buffer = Buffer.alloc(0),
  clients?: Promise<[far: Socket, near: Socket]>,
): Promise<JoinedSockets> {
  const [client, nearClient] = await (clients ? toSide(clients) : sidePair(relay.sockets, true));
  const [origin, nearOrigin] = await sidePair(relay.sockets, false);
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
    grantWaitMs: 60_000,
    slowed: () => {},
    grantWaitStarted: () => events.push('wait'),
    grantWaitFinished: () => {},
    grantWaitTimedOut: () => events.push('late'),
  };
  const limits: { speed: SpeedLimit | undefined } = { speed: undefined };
  const meter = new Meter({ credit, limits }, { toExit: 0, toClient: 0 }, wait);
  let pipe: Pipe = { stop: () => {}, replaceClient: () => {} };
  const ended = new Promise<PipeEnd>((fulfil) => {
    pipe = relay.start({
      client: nearClient,
      exit: nearOrigin,
      early,
      meter,
      owner: { exitClosed: () => {}, halfClosed: () => events.push('half-closed'), pipeEnded: fulfil },
    });
  });
  return { client, origin, credit, meter, limits, pipe, ended, events };
}
