import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Logger } from 'pino';
import { Credit } from '../metering/credit.ts';
import { Accelerator, loadNative, type Notice } from './accelerator.ts';
import { socketDescriptor } from './handle.ts';
import { askQueues } from './send-queue.ts';
import { testSockets } from './test-sockets.ts';

const TEST_MS = 10_000;
const SENT_BYTES = 2 * 1024 * 1024;
/** More than one read, and no whole number of any buffer. */
const GRANTED_BYTES = 1024 * 1024 + 1;

/** The native code in this file, if it works here. Otherwise the log says why not, and tunnels use TypeScript. */
export async function openAccelerator(file: string, pipes: number, log: Logger): Promise<Accelerator | undefined> {
  if (!existsSync(file)) {
    log.info('No accelerator was built; tunnels use TypeScript');
    return undefined;
  }
  try {
    const accelerator = new Accelerator(loadNative(file), pipes);
    await testAccelerator(accelerator, AbortSignal.timeout(TEST_MS));
    await testSockets(accelerator.sockets, AbortSignal.timeout(TEST_MS));
    askQueues((descriptor) => accelerator.unacknowledgedBytes(descriptor));
    return accelerator;
  } catch (error) {
    // Node.js says in four lines which version of it a file is for.
    const reason = (error instanceof Error ? error.message : String(error)).replaceAll('\n', ' ');
    log.warn({ err: error }, `The accelerator does not work here (${reason}); tunnels use TypeScript`);
    return undefined;
  }
}

/** Sends more than is granted through two loopback connections: exactly the grant must arrive, and be counted. */
async function testAccelerator(accelerator: Accelerator, signal: AbortSignal): Promise<void> {
  const sockets: Socket[] = [];
  const own = (socket: Socket) => {
    sockets.push(socket.on('error', () => socket.destroy())); // Then nothing arrives, and the test is aborted.
    if (signal.aborted) socket.destroy();
    return socket;
  };
  const server = createServer({ pauseOnConnect: true }).on('error', () => server.close());
  try {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening', { signal });
    const [client, nearClient] = await connectPair(server, own, signal);
    const [exit, nearExit] = await connectPair(server, own, signal);
    await testFlow(accelerator, { client, nearClient, exit, nearExit }, signal);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

async function connectPair(server: Server, own: (socket: Socket) => Socket, signal: AbortSignal) {
  const { port } = server.address() as AddressInfo;
  const far = own(connect({ port, host: '127.0.0.1' }));
  const [near] = (await once(server, 'connection', { signal })) as [Socket];
  return [far, own(near)] as const;
}

async function testFlow(
  accelerator: Accelerator,
  { client, nearClient, exit, nearExit }: Record<'client' | 'nearClient' | 'exit' | 'nearExit', Socket>,
  signal: AbortSignal,
): Promise<void> {
  const grant = { grantedBytes: GRANTED_BYTES, state: 'open', usedBytes: 0, uploadedBytes: 0 } as const;
  const credit = new Credit(grant, SENT_BYTES, { due: () => {}, spent: () => {}, ended: () => {} });
  const stopped = Promise.withResolvers<string>();
  const descriptors = { client: socketDescriptor(nearClient) ?? -1, exit: socketDescriptor(nearExit) ?? -1 };
  const noticed = ({ kind }: Notice) => {
    if (kind !== 'starved' || !credit.refillOutlet() || !accelerator.resume(id)) stopped.resolve(kind);
  };
  const id = accelerator.open(credit, descriptors, { noticed, collect: () => {} }) ?? -1;
  if (id < 0) throw new Error('Sockets cannot be watched');
  try {
    const sent = randomBytes(SENT_BYTES);
    const received: Buffer[] = [];
    let receivedBytes = 0;
    const arrived = new Promise<void>((fulfil, reject) => {
      signal.addEventListener('abort', () => reject(new Error('The test took too long', { cause: signal.reason })));
      exit.on('data', (chunk: Buffer) => {
        received.push(chunk);
        receivedBytes += chunk.length;
        if (receivedBytes >= GRANTED_BYTES) fulfil();
      });
    });
    client.write(sent);
    await arrived;
    const isRight = Buffer.concat(received).equals(sent.subarray(0, GRANTED_BYTES));
    const { toExit, toClient } = accelerator.read(id);
    if (!isRight || toExit !== GRANTED_BYTES || toClient !== 0 || credit.usedBytes !== GRANTED_BYTES)
      throw new Error('It changes or does not count bytes');
    if ((await stopped.promise) !== 'starved') throw new Error('It does not stop at the end of a grant');
  } finally {
    accelerator.close(id, credit);
  }
}
