import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Logger } from 'pino';
import { inBackground } from '../background.ts';
import type { Accelerator } from './accelerator.ts';
import { handleMoves, moveHandle, shrinkNextRead } from './handle.ts';
import { createPump } from './pump.ts';
import type { Relay } from './pipe.ts';
import { streams } from './joined-sides.ts';

const FIRST_TEST_MS = 1_000;
const NEXT_TEST_MS = 10_000;
const TEST_BYTES = 8_192;
const SHRUNK_BYTES = 1_024;

/** Rejects if handles cannot be moved, or when the signal aborts. */
export type HandleTest = (signal: AbortSignal) => Promise<void>;

/**
 * The pump if this version of Node can move handles, otherwise plain streams. On a busy machine the test may take too long,
 * which says nothing about Node: then new tunnels use plain streams until a later test ends.
 */
export async function chooseRelay(
  { pumpBuffers, accelerator }: { pumpBuffers: number; accelerator?: Accelerator | undefined },
  log: Logger,
  test: HandleTest = testHandleMove,
): Promise<Relay> {
  const pump = createPump(pumpBuffers, accelerator);
  let chosen = streams;
  /** @returns false if the test took too long */
  async function tryPump(timeoutMs: number): Promise<boolean> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      await test(signal);
      chosen = pump;
    } catch (error) {
      if (signal.aborted) return false;
      handleMoves.areSupported = false;
      log.warn({ err: error }, 'Handles cannot be moved here; tunnels use plain streams');
    }
    return true;
  }
  async function tryAgain(): Promise<void> {
    log.warn('The test whether handles can be moved took too long; it is repeated');
    while (!(await tryPump(NEXT_TEST_MS)));
    log.info({ relay: chosen.kind }, 'New tunnels use this relay');
  }
  if (!(await tryPump(FIRST_TEST_MS))) inBackground(log, 'relay', tryAgain());
  return {
    get kind() {
      return chosen.kind;
    },
    get buffersInUse() {
      return pump.buffersInUse;
    },
    get native() {
      return pump.native;
    },
    sockets: pump.sockets,
    start: (task) => chosen.start(task),
  };
}

/** Moves one accepted loopback socket, shrinks its first read, sends bytes both ways and half-closes it. */
export async function testHandleMove(signal: AbortSignal): Promise<void> {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true });
  const sockets: Socket[] = [];
  const own = (socket: Socket) => {
    sockets.push(socket.on('error', () => socket.destroy())); // Then no end arrives, and the test is aborted.
    if (signal.aborted) socket.destroy();
  };
  // Before the first wait, because the system may report sockets and failures after the test was aborted.
  server.on('connection', own).on('error', () => server.close());
  try {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening', { signal });
    const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
    own(client);
    const [accepted] = (await once(server, 'connection', { signal })) as [Socket];
    const echo = echoOnMovedHandle(accepted);
    own(echo);
    const sent = Buffer.alloc(TEST_BYTES, 'cellhop');
    client.end(sent);
    const received: Buffer[] = [];
    client.on('data', (chunk: Buffer) => received.push(chunk));
    await once(client, 'end', { signal });
    if (!Buffer.concat(received).equals(sent)) throw new Error('A moved handle changed the bytes');
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

function echoOnMovedHandle(accepted: Socket): Socket {
  const slice = Buffer.alloc(TEST_BYTES);
  let firstCount: number | undefined;
  const moved = moveHandle(accepted, {
    buffer: () => slice,
    callback: (count) => {
      firstCount ??= count;
      if (firstCount > SHRUNK_BYTES) return moved.destroy() && false;
      return moved.write(Buffer.from(slice.subarray(0, count)));
    },
  });
  moved.on('drain', () => moved.resume());
  moved.on('end', () => moved.end());
  shrinkNextRead(moved, slice.subarray(0, SHRUNK_BYTES));
  moved.resume();
  return moved;
}
