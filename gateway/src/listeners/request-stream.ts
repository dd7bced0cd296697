import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Limits } from '../limits.ts';
import { resetSocket } from '../pipe/handle.ts';
import { whenDelivered } from '../pipe/send-queue.ts';
import { HeadBoundary, type MessageBoundary } from '../protocol/message-boundary.ts';
import { closeGently } from './closing.ts';

const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;

/**
 * A client's socket as Node's HTTP server sees it. It passes one request at a time: what comes behind stays unread until
 * the answer is complete, so that queued requests cost no memory. While a request runs, an end of the client means that
 * it has left, as with other HTTP proxies: nobody would pay for an answer that nobody reads.
 */
export class RequestStream extends Duplex {
  /** Read from the socket and not passed to the parser. */
  #held: Buffer;
  #hasRoom = false;
  /** Undefined while a request runs whose last byte has been passed. */
  #boundary: MessageBoundary | undefined = new HeadBoundary();
  #isHeadBegun = false;
  /** From the end of a request's head to the end of its answer. */
  #isRunning = false;
  #isEndHeld = false;
  #isFeeding = false;
  #isCutAtEnd = false;
  /** The socket closes by itself or belongs to somebody else. */
  #isReleased = false;

  constructor(
    private readonly socket: Socket,
    early: Buffer,
    private readonly limits: Pick<Limits, 'lingerMs' | 'flushMs'>,
  ) {
    super({ allowHalfOpen: true, decodeStrings: false });
    this.#held = early;
    this.on('error', () => this.destroy()); // A write behind the end of a connection that is closing anyway.
    socket.on('data', this.#received);
    socket.on('end', this.#ended);
    socket.on('close', this.#closed);
    if (socket.destroyed) queueMicrotask(this.#closed);
    else if (socket.readableEnded) queueMicrotask(this.#ended);
    socket.resume();
  }

  /** Passes this, too: the head has announced a body. */
  bodyFollows(boundary: MessageBoundary): void {
    this.#boundary = boundary;
    process.nextTick(() => this.#feed()); // The parser that has just read the head must not be entered again.
  }

  nextRequest(): void {
    this.#boundary = new HeadBoundary();
    this.#isHeadBegun = false;
    this.#isRunning = false;
    this.#feed();
  }

  /** Ends the connection behind what was written, by a reset, where an end would make the answer look complete. */
  cut(): void {
    this.#isCutAtEnd = true;
    this.end();
  }

  /** Gives the socket back, paused, with the bytes that were read behind the request. */
  release(): Buffer {
    this.#isReleased = true;
    this.socket.off('data', this.#received);
    this.socket.off('end', this.#ended);
    this.socket.off('close', this.#closed);
    this.socket.pause();
    return this.#held;
  }

  override _read(): void {
    this.#hasRoom = true;
    this.#feed();
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, written: () => void): void {
    const done = (error?: Error | null) => {
      if (error) this.destroy();
      written();
    };
    if (typeof chunk === 'string') this.socket.write(chunk, encoding, done);
    else this.socket.write(chunk, done);
  }

  override _writev(chunks: { chunk: Buffer | string; encoding: BufferEncoding }[], written: () => void): void {
    this.socket.cork();
    for (const [index, { chunk, encoding }] of chunks.entries())
      this._write(chunk, encoding, index === chunks.length - 1 ? written : () => {});
    this.socket.uncork();
  }

  override _final(done: () => void): void {
    this.#isReleased = true;
    this.#held = Buffer.alloc(0);
    if (this.#isCutAtEnd) whenDelivered(this.socket, this.limits, () => resetSocket(this.socket));
    else closeGently(this.socket, this.limits);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#isReleased) this.socket.destroy();
    done(error);
  }

  readonly #received = (chunk: Buffer) => {
    if (this.#isReleased) return;
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#feed();
  };

  readonly #ended = () => {
    if (this.#isReleased) return;
    this.#isEndHeld = true;
    this.#feed();
  };

  readonly #closed = () => this.destroy();

  #feed(): void {
    if (this.#isFeeding) return;
    this.#isFeeding = true;
    while (this.#hasRoom && this.#boundary && this.#held.length > 0 && !this.#isReleased)
      this.#feedPiece(this.#boundary);
    this.#isFeeding = false;
    if (this.#isReleased) return;
    if (this.#isEndHeld) this.#passEnd();
    // Without bytes to hold back it is read on, because only so an end of the client is noticed.
    else if (this.#held.length > 0) this.socket.pause();
    else this.socket.resume();
  }

  #feedPiece(boundary: MessageBoundary): void {
    // Line ends before a request line are skipped (RFC 9112, section 2.2); to the boundary they would be an empty head.
    if (!this.#isHeadBegun) this.#held = withoutLeadingLineEnds(this.#held);
    if (this.#held.length === 0) return;
    this.#isHeadBegun = true;
    const piece = this.#held.subarray(0, boundary.take(this.#held));
    this.#held = this.#held.subarray(piece.length);
    if (boundary.isComplete) {
      this.#boundary = undefined;
      this.#isRunning = true;
    }
    // The parser usually runs inside `push` and may announce a body.
    this.#hasRoom = this.push(piece);
  }

  #passEnd(): void {
    if (this.#isRunning) this.socket.destroy();
    else if (this.#held.length === 0) this.push(null);
  }
}

function withoutLeadingLineEnds(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== CARRIAGE_RETURN && byte !== LINE_FEED);
  return start < 0 ? bytes.subarray(bytes.length) : bytes.subarray(start);
}
