import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Logger } from 'pino';
import { handleMoves, moveHandle, shrinkNextRead } from './handle.ts';
import { createPump } from './pump.ts';
import type { Relay } from './pipe.ts';
import { streams } from './joined-sides.ts';

const TEST_MS = 1_000;
const TEST_BYTES = 8_192;
const SHRUNK_BYTES = 1_024;

/** The pump if this version of Node can move handles, otherwise plain streams. */
export async function chooseRelay(pumpBuffers: number, log: Logger): Promise<Relay> {
  try {
    await testHandleMove();
    return createPump(pumpBuffers);
  } catch (error) {
    handleMoves.areSupported = false;
    log.warn({ err: error }, 'Handles cannot be moved here; tunnels use plain streams');
    return streams;
  }
}

/** Moves one accepted loopback socket, shrinks its first read, sends bytes both ways and half-closes it. */
async function testHandleMove(): Promise<void> {
  const signal = AbortSignal.timeout(TEST_MS);
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true });
  const sockets: Socket[] = [];
  try {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening', { signal });
    const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
    const [accepted] = (await once(server, 'connection', { signal })) as [Socket];
    client.on('error', () => client.destroy()); // Then no end arrives, and the test times out.
    sockets.push(client, accepted);
    const echo = echoOnMovedHandle(accepted);
    sockets.push(echo);
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
  moved.on('error', () => moved.destroy()); // The echo stops, and the test times out.
  moved.on('drain', () => moved.resume());
  moved.on('end', () => moved.end());
  shrinkNextRead(moved, slice.subarray(0, SHRUNK_BYTES));
  moved.resume();
  return moved;
}
