import { Duplex } from 'node:stream';
import type { Limits } from '../limits.ts';
import { resetSocket, type Transport } from '../pipe/handle.ts';
import { whenDelivered } from '../pipe/send-queue.ts';
import { encodeRequestLine } from '../protocol/http-fields.ts';
import { HeadBoundary, type MessageBoundary } from '../protocol/message-boundary.ts';
import { closeGracefully } from './closing.ts';

const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;

/**
 * Wraps a client's socket for Node's HTTP server. It feeds one request at a time: pipelined requests stay unread until the
 * response is complete, so that they use no memory. While a request runs, an end of the client is a disconnect, as with
 * other HTTP proxies: the response could not be delivered, but would be charged.
 */
export class RequestStream extends Duplex {
  /** Bytes that were read from the socket and not yet fed to the parser. */
  #held: Buffer;
  #hasRoom = false;
  /** Undefined while a request runs and all of its bytes have been fed. */
  #boundary: MessageBoundary | undefined = new HeadBoundary();
  #hasHeadStarted = false;
  #isInRequestLine = false;
  /** From the end of a request to the end of its response. */
  #isRunning = false;
  #hasEndArrived = false;
  #isFeeding = false;
  #isResetAtEnd = false;
  /** The socket is being closed or has a new owner. */
  #isReleased = false;

  constructor(
    private readonly socket: Transport,
    early: Buffer,
    private readonly limits: Pick<Limits, 'lingerMs' | 'flushMs'>,
  ) {
    super({ allowHalfOpen: true, decodeStrings: false });
    this.#held = early;
    this.on('error', () => this.destroy()); // A write after the end; the connection is closing anyway.
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('close', this.#onClose);
    if (socket.destroyed) queueMicrotask(this.#onClose);
    else if (socket.readableEnded) queueMicrotask(this.#onEnd);
    socket.resume();
  }

  /** A part of a head has arrived, and no request runs. */
  get isInHead(): boolean {
    return this.#hasHeadStarted && !this.#isRunning;
  }

  /** Feeds the body that the head has announced. */
  expectBody(boundary: MessageBoundary): void {
    this.#boundary = boundary;
    process.nextTick(() => this.#feed()); // The parser is still inside its callback and is not reentrant.
  }

  nextRequest(): void {
    this.#boundary = new HeadBoundary();
    this.#hasHeadStarted = false;
    this.#isRunning = false;
    this.#feed();
  }

  /** Resets the connection after all written data, if a normal end would make the response look complete. */
  endWithReset(): void {
    this.#isResetAtEnd = true;
    this.end();
  }

  /** Pauses and releases the socket. @returns the bytes that were read after the request */
  release(): Buffer {
    this.#isReleased = true;
    this.socket.off('data', this.#onData);
    this.socket.off('end', this.#onEnd);
    this.socket.off('close', this.#onClose);
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
    if (this.#isResetAtEnd) whenDelivered(this.socket, this.limits, () => resetSocket(this.socket));
    else closeGracefully(this.socket, this.limits);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#isReleased) this.socket.destroy();
    done(error);
  }

  readonly #onData = (chunk: Buffer) => {
    if (this.#isReleased) return;
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#feed();
  };

  readonly #onEnd = () => {
    if (this.#isReleased) return;
    this.#hasEndArrived = true;
    this.#feed();
  };

  readonly #onClose = () => this.destroy();

  #feed(): void {
    if (this.#isFeeding) return;
    this.#isFeeding = true;
    while (this.#hasRoom && this.#boundary && this.#held.length > 0 && !this.#isReleased)
      this.#feedPiece(this.#boundary);
    this.#isFeeding = false;
    if (this.#isReleased) return;
    if (this.#hasEndArrived) this.#feedEnd();
    // With no held bytes it keeps reading, because that is the only way to detect a disconnect of the client.
    else if (this.#held.length > 0) this.socket.pause();
    else this.socket.resume();
  }

  #feedPiece(boundary: MessageBoundary): void {
    // Skips empty lines before a request line (RFC 9112, section 2.2), which HeadBoundary would take as an empty head.
    if (!this.#hasHeadStarted) this.#held = withoutLeadingLineEnds(this.#held);
    if (this.#held.length === 0) return;
    if (!this.#hasHeadStarted) this.#hasHeadStarted = this.#isInRequestLine = true;
    const piece = this.#held.subarray(0, boundary.take(this.#held));
    this.#held = this.#held.subarray(piece.length);
    if (boundary.isComplete) {
      this.#boundary = undefined;
      this.#isRunning = true;
    }
    // The parser usually runs inside `push` and may announce a body.
    this.#hasRoom = this.push(this.#isInRequestLine ? this.#encodeRequestLine(piece) : piece);
  }

  #encodeRequestLine(piece: Buffer): Buffer {
    const end = piece.indexOf(LINE_FEED);
    this.#isInRequestLine = end < 0;
    const line = piece.toString('latin1', 0, end < 0 ? piece.length : end);
    const encoded = encodeRequestLine(line);
    return encoded.length === line.length ? piece : Buffer.concat([Buffer.from(encoded), piece.subarray(line.length)]);
  }

  #feedEnd(): void {
    if (this.#isRunning) this.socket.destroy();
    else if (this.#held.length === 0) this.push(null);
  }
}

function withoutLeadingLineEnds(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== CARRIAGE_RETURN && byte !== LINE_FEED);
  return start < 0 ? bytes.subarray(bytes.length) : bytes.subarray(start);
}
