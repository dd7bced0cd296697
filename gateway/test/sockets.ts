import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { performance } from 'node:perf_hooks';
import { wasReset } from '../src/pipe/handle.ts';
import type { Side } from '../src/pipe/pipe.ts';
import { whenDelivered } from '../src/pipe/send-queue.ts';

/** Many containers have no IPv6, not even on the loopback interface. */
export const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

/** Listens on a loopback port, by default a free one. Sockets may be half-open, so that tests control each direction. */
export async function listenLocally(
  onConnection: (socket: Socket) => void,
  wantedPort = 0,
): Promise<{ server: Server; port: number }> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    onConnection(socket);
  });
  server.listen(wantedPort, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

export async function connectLocally(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true, noDelay: true });
  await once(socket, 'connect');
  socket.on('error', () => socket.destroy());
  return socket;
}

type SocketEnd = 'ended' | 'reset' | 'closed';

/** Reads messages and the rest of a socket sequentially. */
export class Reader {
  #chunks: Buffer[] = [];
  #changed: (() => void) | undefined;
  receivedBytes = 0;
  #waitingBytes = 0;
  #end: SocketEnd | undefined;

  constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => this.#add(chunk));
    socket.on('end', () => this.#finish(wasReset(socket) ? 'reset' : 'ended'));
    socket.on('error', () => this.#finish('reset'));
    socket.on('close', () => this.#finish('closed'));
  }

  /** @throws Error if the socket ends before */
  async take(length: number): Promise<Buffer> {
    while (this.#waitingBytes < length) {
      if (this.#end) throw new Error(`The socket ${this.#end} after ${this.#waitingBytes} of ${length} bytes`);
      await this.#change();
    }
    const bytes = this.#joined();
    this.#chunks = [bytes.subarray(length)];
    this.#waitingBytes -= length;
    return bytes.subarray(0, length);
  }

  async takeUntil(delimiter: string): Promise<string> {
    await this.peekUntil(delimiter);
    return (await this.take(this.#joined().indexOf(delimiter) + delimiter.length)).toString('latin1');
  }

  /** Waits for a delimiter without consuming it. */
  async peekUntil(delimiter: string): Promise<void> {
    while (!this.#joined().includes(delimiter)) {
      if (this.#end)
        throw new Error(`The socket ${this.#end} before the delimiter: ${this.#joined().toString('latin1')}`);
      await this.#change();
    }
  }

  async rest(): Promise<{ bytes: Buffer; end: SocketEnd }> {
    while (!this.#end) await this.#change();
    return { bytes: this.#joined(), end: this.#end };
  }

  /** Waits until a condition on the received bytes holds or the socket ends. */
  async restUntil(isEnough: (bytes: Buffer) => boolean): Promise<{ bytes: Buffer; end: SocketEnd | undefined }> {
    while (!this.#end && !isEnough(this.#joined())) await this.#change();
    return { bytes: this.#joined(), end: this.#end };
  }

  #add(chunk: Buffer): void {
    this.receivedBytes += chunk.length;
    this.#waitingBytes += chunk.length;
    this.#chunks.push(chunk);
    this.#changed?.();
  }

  #joined(): Buffer {
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [bytes];
    return bytes;
  }

  #finish(end: SocketEnd): void {
    this.#end ??= end;
    this.#changed?.();
  }

  #change(): Promise<void> {
    return new Promise((fulfil) => {
      this.#changed = fulfil;
    });
  }
}

export const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Bytes without repetition within a read, so that a lost or duplicated slice is detected. */
export function patternedBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let index = 0; index + 4 <= length; index += 4)
    bytes.writeUInt32LE((index * 2_654_435_761) % 4_294_967_296, index);
  return bytes;
}

/**
 * Sends to a peer that stops reading, until its system has data that it has not read.
 * @param readBytes how much it has read
 * @returns the sent bytes, all of which have arrived
 */
export async function sendUntilUnread(socket: Socket, readBytes: () => number): Promise<number> {
  const piece = patternedBytes(16_384);
  const delivered = (lingerMs: number) =>
    new Promise<void>((fulfil) => whenDelivered(socket, { lingerMs, flushMs: 60_000 }, fulfil));
  let sentBytes = 0;
  while (sentBytes - readBytes() < 2 * piece.length) {
    socket.write(piece);
    sentBytes += piece.length;
    // What has been read has arrived. To ask the system reads the list of all its sockets, so only the last pieces do.
    for (let turn = 0; turn < 100 && readBytes() < sentBytes; turn += 1) await new Promise(setImmediate);
    // Native code may read a stream at its next tick.
    if (readBytes() < sentBytes) await new Promise((fulfil) => setTimeout(fulfil, 5));
    if (readBytes() < sentBytes) await delivered(0);
  }
  await delivered(50);
  return sentBytes;
}

/** Waits for a condition; the timeout of the test is the limit. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((fulfil) => setTimeout(fulfil, 5));
}

/** Waits until the event loop has nothing to do. What keeps it busy for ever ends with the test. */
export async function untilIdle(): Promise<void> {
  const { nodeTiming } = performance;
  for (let turns = Number.POSITIVE_INFINITY; turns > 10;) {
    const { loopCount } = nodeTiming.uvMetricsInfo;
    await new Promise((fulfil) => setTimeout(fulfil, 50));
    turns = nodeTiming.uvMetricsInfo.loopCount - loopCount;
  }
}

/** Reads a side until its peer has ended, and closes it. */
export function readToEnd(side: Side): Promise<void> {
  return new Promise((fulfil, reject) => {
    side.open({
      data: () => true,
      ended: () => {
        side.close();
        fulfil();
      },
      failed: () => reject(new Error('The side has failed')),
      closed: () => {},
    });
    side.resume();
  });
}
