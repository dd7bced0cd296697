import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { listeningDescriptor } from './handle.ts';
import { ignored, type RawSocket, type RawSockets } from './raw-sockets.ts';

const LOOPBACK = Uint8Array.of(127, 0, 0, 1);
const ANY = new Uint8Array(0);
const SENT = 'cellhop';

interface Received {
  readonly read: (text: string) => void;
  readonly failed: (error: Error) => void;
}

/** Accepts a loopback connection of its own, sends bytes both ways, and moves one end to Node. @throws Error if anything is missing */
export async function testSockets(sockets: RawSockets, signal: AbortSignal): Promise<void> {
  const server = createServer().on('error', () => server.close());
  const open: RawSocket[] = [];
  try {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening', { signal });
    const { port } = server.address() as AddressInfo;
    // Others may connect, too, but send something else.
    const secret = randomUUID();
    const arrived = Promise.withResolvers<void>();
    const accepted = (near: RawSocket) => {
      open.push(near);
      near.write(Buffer.from(SENT));
      whenRead(near, { read: (text) => text === secret && arrived.resolve(), failed: () => {} });
    };
    if (!sockets.listen(listeningDescriptor(server) ?? -1, { accepted, exhausted: () => {} }))
      throw new Error('It cannot listen');
    // It accepts although the server is closed.
    server.close();
    const far = sockets.connect({ address: LOOPBACK, port, localAddress: ANY, localPort: 0 });
    open.push(far);
    const greeting = new Promise<string>((read, failed) => whenRead(far, { read, failed }));
    if ((await within(greeting, signal)) !== SENT) throw new Error('It changes what is read');
    const socket = far.toSocket();
    socket.end(secret);
    await within(arrived.promise, signal);
    socket.destroy();
  } finally {
    sockets.stopListening();
    for (const socket of open) socket.reset();
    server.close();
  }
}

function whenRead(socket: RawSocket, { read, failed }: Received): void {
  const data = (chunk: Buffer) => read(chunk.toString('latin1'));
  socket.listener = { ...ignored, data, failed, connected: () => socket.read(true) };
  socket.read(true);
}

/** @throws Error if the signal aborts before */
export function within<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const late = new Promise<never>((_, reject) => {
    const abort = () => reject(new Error('The test took too long', { cause: signal.reason }));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });
  return Promise.race([work, late]);
}
