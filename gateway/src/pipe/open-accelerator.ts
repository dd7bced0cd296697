import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Logger } from 'pino';
import { Credit } from '../metering/credit.ts';
import { Accelerator, loadNative, type Notice } from './accelerator.ts';
import { socketDescriptor } from './handle.ts';
import { askQueues } from './send-queue.ts';
import { testSockets, within } from './test-sockets.ts';

/** A machine that starts everything at once is slow, and who fails does without native code for the life of the process. */
const TESTS_MS = 30_000;
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
    const signal = AbortSignal.timeout(TESTS_MS);
    await testAccelerator(accelerator, signal);
    await testSockets(accelerator.sockets, signal);
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
    const connectPair = pairMaker(server, own, signal);
    const [client, nearClient] = await connectPair();
    const [exit, nearExit] = await connectPair();
    await testFlow(accelerator, { client, nearClient, exit, nearExit }, signal);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

/** Others connect, too: programs that try the port of a server again which has gone. They have other ports than our ends. */
function pairMaker(server: Server, own: (socket: Socket) => Socket, signal: AbortSignal) {
  const { port } = server.address() as AddressInfo;
  const accepted = new Map<number | undefined, Socket>();
  server.on('connection', (socket: Socket) => accepted.set(socket.remotePort, own(socket)));
  return async () => {
    const far = own(connect({ port, host: '127.0.0.1' }));
    await once(far, 'connect', { signal });
    while (!accepted.has(far.localPort)) await once(server, 'connection', { signal });
    return [far, accepted.get(far.localPort)!] as const;
  };
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
    const arrived = new Promise<void>((fulfil) => {
      exit.on('data', (chunk: Buffer) => {
        received.push(chunk);
        receivedBytes += chunk.length;
        if (receivedBytes >= GRANTED_BYTES) fulfil();
      });
    });
    client.write(sent);
    await within(arrived, signal);
    const isRight = Buffer.concat(received).equals(sent.subarray(0, GRANTED_BYTES));
    const { toExit, toClient } = accelerator.read(id);
    if (!isRight || toExit !== GRANTED_BYTES || toClient !== 0 || credit.usedBytes !== GRANTED_BYTES)
      throw new Error('It changes or does not count bytes');
    if ((await within(stopped.promise, signal)) !== 'starved')
      throw new Error('It does not stop at the end of a grant');
  } finally {
    accelerator.close(id, credit);
  }
}
