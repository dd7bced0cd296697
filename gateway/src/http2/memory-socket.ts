import { Duplex } from 'node:stream';
import type { Transport } from '../pipe/handle.ts';

/** One end of a connection inside of this process. */
export class MemorySocket extends Duplex implements Transport {
  bytesWritten = 0;
  #other: MemorySocket | undefined;
  /** Called when the other end has read what was written. */
  #onRead: (() => void) | undefined;

  /** @returns both ends */
  static pair(): [MemorySocket, MemorySocket] {
    const [one, other] = [new MemorySocket(), new MemorySocket()];
    one.#other = other;
    other.#other = one;
    return [one, other];
  }

  constructor() {
    super({ allowHalfOpen: true });
    this.on('error', () => this.destroy());
  }

  resetAndDestroy(): this {
    this.#other?.destroy(new Error('The connection was reset'));
    return this.destroy();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, written: () => void): void {
    this.bytesWritten += chunk.length;
    if (this.#other!.destroyed || this.#other!.push(chunk)) written();
    else this.#onRead = written;
  }

  override _read(): void {
    const other = this.#other!;
    const onRead = other.#onRead;
    other.#onRead = undefined;
    onRead?.();
  }

  override _final(done: () => void): void {
    if (!this.#other!.destroyed) this.#other!.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const other = this.#other!;
    if (!this.writableFinished || !this.readableEnded) process.nextTick(() => other.destroy());
    done(error);
  }
}
