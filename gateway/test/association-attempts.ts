/** A client that requests many UDP associations, in a separate process, because it needs as many descriptors as the gateway. */
import { connect, type Socket } from 'node:net';
import { type Credentials, socks5Greeting, socks5Login, socks5Request } from './gateway-harness.ts';

export interface Attempts {
  readonly port: number;
  readonly localAddress: string;
  readonly count: number;
  readonly atOnce: number;
  /** Attempts use them in turn; a client without any offers no method but "no authentication". */
  readonly credentials: readonly Credentials[];
}

/** Received bytes -> number of attempts. The address of a successful reply is left out. */
export type Outcomes = Record<string, number>;

const NO_AUTHENTICATION = Buffer.from([5, 1, 0]);
const ASSOCIATE = 3;
/** Both replies before it, and its first two bytes. */
const REPLY_LENGTH = 6;
const GRANTED = '050201000500';
const held: Socket[] = [];

/** @returns the bytes of the replies, in hex; an association that was granted stays open */
async function attempt({ port, localAddress }: Attempts, credentials: Credentials | undefined): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  const login = credentials ? [socks5Greeting, socks5Login(credentials)] : [NO_AUTHENTICATION];
  socket.write(Buffer.concat([...login, socks5Request('0.0.0.0', 0, ASSOCIATE)]));
  let received = '';
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    received += chunk.toString('hex');
    if (received.length < 2 * REPLY_LENGTH) return;
    if (received.startsWith(GRANTED)) socket.emit('granted');
    else socket.destroy();
  });
  await new Promise((fulfil) => socket.once('close', fulfil).once('granted', fulfil));
  if (!socket.destroyed) held.push(socket);
  return received.slice(0, 2 * REPLY_LENGTH);
}

async function run(job: Attempts): Promise<Outcomes> {
  const outcomes: Outcomes = {};
  let started = 0;
  const worker = async () => {
    while (started < job.count) {
      const credentials = job.credentials[started % Math.max(1, job.credentials.length)];
      started += 1;
      const outcome = await attempt(job, credentials);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: job.atOnce }, worker));
  return outcomes;
}

process.on('message', (job: Attempts) => void run(job).then((outcomes) => process.send?.(outcomes)));
process.once('disconnect', () => process.exit(0));
process.send?.('ready');
