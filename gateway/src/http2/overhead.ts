import type { Socket } from 'node:net';
import { TokenBucket } from '../connections/token-bucket.ts';
import type { Limits } from '../limits.ts';

type OverheadLimits = Pick<Limits, 'http2OverheadPerSecond' | 'http2OverheadBurst' | 'http2StreamOverhead'>;

/**
 * What a client sends besides the bytes of its streams, which are paid: heads, WINDOW_UPDATE, padding, and frames that nobody needs. The library has
 * limits for some kinds and tells of few, so bytes are counted and not frames: whatever their kind is, and also those of later versions.
 */
export class Overhead {
  readonly #bucket: TokenBucket;
  #readBytes = 0;
  #passedBytes = 0;
  #streams = 0;

  /** @param socket `bytesRead`: inside of TLS */
  constructor(
    private readonly socket: Pick<Socket, 'bytesRead'>,
    private readonly limits: OverheadLimits,
  ) {
    this.#bucket = new TokenBucket(limits.http2OverheadPerSecond, limits.http2OverheadBurst);
  }

  /** Bytes of a stream, in both directions: who downloads sends updates of windows. */
  passed(bytes: number): void {
    this.#passedBytes += bytes;
  }

  /** However short its head is, a stream costs time. */
  streamOpened(): void {
    this.#streams += 1;
  }

  /** Call it again and again. @returns false if there is too much of it since the last call */
  isBearable(): boolean {
    const { bytesRead } = this.socket;
    const unpaidBytes =
      bytesRead - this.#readBytes - this.#passedBytes + this.#streams * this.limits.http2StreamOverhead;
    this.#readBytes = bytesRead;
    this.#passedBytes = 0;
    this.#streams = 0;
    return unpaidBytes <= 0 || this.#bucket.takeMany(unpaidBytes);
  }
}
