import type { Socket } from 'node:net';
import { createRandom } from '../../../../tools/random.ts';
import { resetSocket, wasReset } from '../../../src/pipe/handle.ts';

/** Prime, so that no piece of it looks like another one at the usual sizes. */
const PATTERN_BYTES = 1_048_573;
const random = createRandom(7);
const PATTERN = Buffer.from(Array.from({ length: PATTERN_BYTES }, () => random.below(256)));
/** Where the bytes of origins begin. */
const ORIGIN_OFFSET = 500_009;

export type SocketEnd = 'ended' | 'reset' | 'closed';

/** The socket ended, or time is up, before what was waited for. */
export class Unexpected extends Error {}

/**
 * One end of a tunnel. It sends the next bytes of its pattern, and compares what it receives with that of the other end, so that no byte is
 * kept.
 */
export class EndPoint {
  sentBytes = 0;
  receivedBytes = 0;
  /** Of the first byte that is not that of the other end. */
  wrongAt: number | undefined;
  end: SocketEnd | undefined;
  /** Of a client: what comes before the bytes of the tunnel. */
  reply: Buffer = Buffer.alloc(0);
  #isReplied: boolean;
  #isLate = false;
  readonly #waiting = new Set<() => void>();

  /** @param replyLength of a client: the length of the complete reply at the start of the bytes; undefined while it is incomplete */
  constructor(
    readonly socket: Socket,
    private readonly kind: 'client' | 'origin',
    private readonly replyLength: (bytes: Buffer) => number | undefined = () => 0,
  ) {
    this.#isReplied = kind === 'origin';
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('end', () => this.#ended(wasReset(socket) ? 'reset' : 'ended'));
    socket.on('error', () => {
      this.#ended('reset');
      socket.destroy();
    });
    socket.on('close', () => this.#ended('closed'));
  }

  /** A reset has followed an end that was read. */
  get isResetAfterEnd(): boolean {
    return this.end === 'ended' && (this.socket.errored !== null || wasReset(this.socket));
  }

  /** Writes the next bytes of the pattern, each piece in a turn of its own. */
  async send(bytes: number, pieceBytes = bytes): Promise<void> {
    const until = this.sentBytes + bytes;
    while (this.sentBytes < until && this.socket.writable) {
      this.writeNext(Math.min(pieceBytes, until - this.sentBytes));
      if (this.sentBytes < until) await new Promise(setImmediate);
    }
  }

  writeNext(bytes: number): void {
    for (const slice of slicesOf(this.#next(bytes), bytes)) this.socket.write(slice);
  }

  /** The next bytes of the pattern, to be sent together with others. */
  takeNext(bytes: number): Buffer {
    return Buffer.concat(slicesOf(this.#next(bytes), bytes));
  }

  #next(bytes: number): number {
    const at = this.sentBytes + (this.kind === 'origin' ? ORIGIN_OFFSET : 0);
    this.sentBytes += bytes;
    return at;
  }

  /** @throws Unexpected */
  async receive(total: number): Promise<void> {
    await this.until(() => this.receivedBytes >= total || this.end !== undefined);
    if (this.receivedBytes < total)
      throw new Unexpected(`${this.kind} ${this.end} after ${this.receivedBytes} of ${total} bytes`);
  }

  /** @throws Unexpected */
  async ending(wanted?: SocketEnd): Promise<void> {
    await this.until(() => this.end !== undefined);
    if (wanted !== undefined && this.end !== wanted)
      throw new Unexpected(`${this.kind}: ${this.end} instead of ${wanted}`);
  }

  async replied(): Promise<void> {
    await this.until(() => this.#isReplied || this.end !== undefined);
  }

  /** @throws Unexpected if time is up */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.#isLate) throw new Unexpected(`${this.kind} waited too long`);
      await new Promise<void>((fulfil) => this.#waiting.add(fulfil));
    }
  }

  /** Waits for what no event of the socket says. @throws Unexpected if time is up */
  async poll(condition: () => boolean): Promise<void> {
    const timer = setInterval(() => this.#changed(), 20);
    await this.until(condition).finally(() => clearInterval(timer));
  }

  /** Ends all waits. */
  giveUp(): void {
    this.#isLate = true;
    this.#changed();
  }

  reset(): void {
    this.end ??= 'closed';
    resetSocket(this.socket);
  }

  close(): void {
    this.end ??= 'closed';
    this.socket.destroy();
  }

  #read(chunk: Buffer): void {
    if (!this.#isReplied) {
      this.reply = Buffer.concat([this.reply, chunk]);
      const length = this.replyLength(this.reply);
      if (length === undefined || length > this.reply.length) return this.#changed();
      this.#isReplied = true;
      this.#compare(this.reply.subarray(length));
      this.reply = this.reply.subarray(0, length);
    } else this.#compare(chunk);
    this.#changed();
  }

  #compare(chunk: Buffer): void {
    let done = 0;
    const at = this.receivedBytes + (this.kind === 'client' ? ORIGIN_OFFSET : 0);
    for (const slice of slicesOf(at, chunk.length)) {
      if (slice.compare(chunk, done, done + slice.length) !== 0) this.wrongAt ??= this.receivedBytes;
      done += slice.length;
    }
    this.receivedBytes += chunk.length;
  }

  #ended(end: SocketEnd): void {
    this.end ??= end;
    this.#changed();
  }

  #changed(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

/** A part of the pattern, which repeats itself. */
function slicesOf(position: number, bytes: number): Buffer[] {
  const slices: Buffer[] = [];
  for (let done = 0; done < bytes;) {
    const at = (position + done) % PATTERN_BYTES;
    const slice = PATTERN.subarray(at, Math.min(PATTERN_BYTES, at + bytes - done));
    slices.push(slice);
    done += slice.length;
  }
  return slices;
}
