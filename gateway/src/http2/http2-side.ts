import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Limits } from '../limits.ts';
import type { Side, SideListener } from '../pipe/pipe.ts';
import type { Overhead } from './overhead.ts';
import type { StreamReader } from './stream-reader.ts';
import { closeStream } from './streams.ts';

type SideLimits = Pick<Limits, 'lingerMs' | 'flushMs'>;

/** A stream of HTTP/2 after the response to CONNECT, as a side of a pipe (RFC 9113, section 8.5). */
export class Http2Side implements Side {
  #onDrained: () => void = () => {};
  /** This side ends the stream, and not the client. */
  #isClosing = false;

  constructor(
    private readonly stream: ServerHttp2Stream,
    private readonly reader: StreamReader,
    private readonly limits: SideLimits,
    private readonly overhead: Pick<Overhead, 'passed'>,
  ) {}

  get pendingBytes(): number {
    return this.stream.writableLength;
  }

  open(listener: SideListener): void {
    const { stream } = this;
    const closed = () => listener.closed();
    if (stream.destroyed) {
      queueMicrotask(() => {
        listener.failed();
        closed();
      });
      return;
    }
    const aborted = () => {
      listener.failed();
      // After a reset without an error the library waits for what it has still to send.
      if (!this.#isClosing) stream.destroy();
    };
    stream.on('aborted', aborted).on('close', closed);
    this.reader.start({
      data: (chunk) => listener.data(chunk),
      // The library reports an end, too, when the client resets the stream without an error.
      ended: () => (stream.aborted ? listener.failed() : listener.ended()),
    });
  }

  write(chunk: Buffer, onDrained: () => void): boolean {
    this.overhead.passed(chunk.length);
    this.#onDrained = onDrained;
    if (!this.stream.destroyed && !this.stream.writableEnded) this.stream.write(chunk, this.#written);
    return this.stream.writableLength === 0;
  }

  end(): void {
    if (!this.stream.destroyed) this.stream.end();
  }

  reset(): void {
    this.#isClosing = true;
    closeStream(this.stream, constants.NGHTTP2_CONNECT_ERROR, this.limits);
  }

  /** The frame of the reset follows all bytes, but programs may drop what they have not read by then. */
  resetAfterDelivery(): void {
    const { stream, limits } = this;
    let timer: NodeJS.Timeout;
    const resetAfter = (delayMs: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => this.reset(), delayMs);
    };
    stream.once('close', () => clearTimeout(timer));
    this.#onDrained = () => resetAfter(limits.lingerMs);
    resetAfter(stream.writableLength === 0 ? limits.lingerMs : limits.flushMs);
  }

  close(): void {
    this.#isClosing = true;
    closeStream(this.stream, constants.NGHTTP2_NO_ERROR, this.limits);
  }

  resume(): void {
    this.reader.resume();
  }

  readonly #written = (error?: Error | null): void => {
    if (!error) this.#onDrained();
  };
}
