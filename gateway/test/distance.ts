/** A port in front of another one, as if its clients were far away: attacks have no round trips, customers do, and distance keeps none out. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

/** Round trips of customers in tests of attacks and faults: beside the node, on its continent, on another one. */
export const ROUND_TRIPS_MS = [0, 100, 300] as const;

export interface DistantPort {
  readonly port: number;
  stop(): void;
}

/** Every client keeps its address. With 0 ms, only the relay itself takes time. */
export async function openDistantPort(targetPort: number, roundTripMs: number): Promise<DistantPort> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    track(client);
    const { remoteAddress: localAddress } = client;
    // The client's SYN, the answer, and its ACK, with which its first data arrives.
    setTimeout(() => {
      if (client.destroyed) return;
      const options = { port: targetPort, host: '127.0.0.1', localAddress, allowHalfOpen: true, noDelay: true };
      const target = track(connect(options));
      forward(client, target, roundTripMs / 2);
      forward(target, client, roundTripMs / 2);
    }, 1.5 * roundTripMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** @returns ports in front of the same one, at all distances */
export async function openDistantPorts(targetPort: number): Promise<number[]> {
  const opened = await Promise.all(ROUND_TRIPS_MS.map((roundTripMs) => openDistantPort(targetPort, roundTripMs)));
  return opened.map(({ port }) => port);
}

/** On their way in one direction; above it, nothing is read. */
const BUFFER_BYTES = 1_048_576;

/** Forwards data, the end and a reset in their order, each after the delay; what has arrived before, at once. */
function forward(from: Socket, to: Socket, delayMs: number): void {
  const queue: (() => void)[] = [];
  let bufferedBytes = 0;
  let isEarly = true;
  setImmediate(() => (isEarly = false));
  const later = (action: () => void) => {
    queue.push(action);
    setTimeout(() => queue.shift()?.(), isEarly ? 0 : delayMs);
  };
  const passed = (bytes: number) => {
    bufferedBytes -= bytes;
    if (bufferedBytes < BUFFER_BYTES) from.resume();
  };
  from.on('data', (chunk: Buffer) => {
    bufferedBytes += chunk.length;
    if (bufferedBytes >= BUFFER_BYTES) from.pause();
    later(() => to.write(chunk, () => passed(chunk.length)));
  });
  from.on('end', () => later(() => to.end()));
  from.on('error', () => later(() => to.resetAndDestroy()));
}
