import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { listeningDescriptor } from './handle.ts';
import { ignored, type RawSocket, type RawSockets } from './raw-sockets.ts';

const LOOPBACK = Uint8Array.of(127, 0, 0, 1);
const ANY = new Uint8Array(0);
const SENT = 'cellhop';

/** Accepts a loopback connection of its own, sends bytes both ways, and moves one end to Node. @throws Error if anything is missing */
export async function testSockets(sockets: RawSockets, signal: AbortSignal): Promise<void> {
  const server = createServer().on('error', () => server.close());
  const open: RawSocket[] = [];
  try {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening', { signal });
    const { port } = server.address() as AddressInfo;
    const accepted = new Promise<RawSocket>((fulfil) => {
      const events = { accepted: fulfil, exhausted: () => {} };
      if (!sockets.listen(listeningDescriptor(server) ?? -1, events)) throw new Error('It cannot listen');
    });
    // It accepts although the server is closed.
    server.close();
    const far = sockets.connect({ address: LOOPBACK, port, localAddress: ANY, localPort: 0 });
    open.push(far);
    const near = await within(accepted, signal);
    open.push(near);
    const echoed = received(far);
    const arrived = received(near);
    near.write(Buffer.from(SENT));
    if ((await within(echoed, signal)) !== SENT) throw new Error('It changes what is read');
    const socket = far.toSocket();
    socket.end(SENT);
    if ((await within(arrived, signal)) !== SENT) throw new Error('It changes what Node writes');
    socket.destroy();
  } finally {
    sockets.stopListening();
    for (const socket of open) socket.reset();
    server.close();
  }
}

function received(socket: RawSocket): Promise<string> {
  return new Promise((fulfil, reject) => {
    const data = (chunk: Buffer) => fulfil(chunk.toString('latin1'));
    socket.listener = { ...ignored, data, failed: reject, connected: () => socket.read(true) };
    socket.read(true);
  });
}

function within<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('The test took too long', { cause: signal.reason })));
  });
  return Promise.race([work, late]);
}
