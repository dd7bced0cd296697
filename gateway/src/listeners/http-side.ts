import { Duplex } from 'node:stream';
import type { Side, SideListener } from '../pipe/pipe.ts';
import type { ResponseReader } from '../protocol/http-response.ts';

/**
 * Node's HTTP client as a side of a pipe. The client uses `stream` as the socket to the origin, and reads its response as
 * `ResponseReader` rewrites it: `ResponseSource` has read what is written to this side.
 */
export class HttpSide implements Side {
  readonly stream: Duplex;
  #listener: SideListener | undefined;
  #isInputEnded = false;
  #isTruncated = false;
  /** Called when the HTTP client can accept more data. */
  #onDrained: (() => void) | undefined;
  /** Called when the pipe can accept more of the request; the HTTP client waits for it. */
  #onForwarded: (() => void) | undefined;

  constructor(private readonly response: ResponseReader) {
    this.stream = new Duplex({
      allowHalfOpen: true,
      // With `Expect: 100-continue` Node writes the head without an encoding.
      defaultEncoding: 'latin1',
      read: () => {
        const onDrained = this.#onDrained;
        this.#onDrained = undefined;
        onDrained?.();
      },
      write: (chunk: Buffer, _encoding, onForwarded) => {
        this.#onForwarded = onForwarded;
        if (this.#listener?.data(chunk)) this.resume();
      },
      // Never calls back: Node would destroy the stream after both sides have ended, with a part of the response unread.
      final: () => this.#listener?.ended(),
      destroy: (error, done) => {
        this.#listener?.closed();
        done(error);
      },
    });
  }

  /** All counted bytes were forwarded, but the origin may have sent more. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  get pendingBytes(): number {
    return this.#onDrained ? this.stream.readableLength : 0;
  }

  open(listener: SideListener): void {
    this.#listener = listener;
  }

  write(chunk: Buffer, onDrained: () => void): boolean {
    const bytes = this.response.take(chunk.length);
    if (bytes.length === 0) return true;
    const hasRoom = this.stream.push(bytes);
    if (!hasRoom) this.#onDrained = onDrained;
    return hasRoom;
  }

  end(): void {
    if (this.#isInputEnded || this.stream.destroyed) return;
    this.#isInputEnded = true;
    this.stream.push(null);
  }

  reset(): void {
    this.stream.destroy(new Error('The tunnel was reset'));
  }

  resetAfterDelivery(): void {
    this.#isTruncated = true;
    this.end();
  }

  close(): void {
    this.stream.destroy();
  }

  resume(): void {
    const onForwarded = this.#onForwarded;
    this.#onForwarded = undefined;
    onForwarded?.();
  }

  /** @returns the bytes that the HTTP client has not read, for the side that takes over */
  release(): { bytes: Buffer; isEnded: boolean } {
    const bytes = (this.stream.read() as Buffer | null) ?? Buffer.alloc(0);
    return { bytes, isEnded: this.#isInputEnded };
  }
}
