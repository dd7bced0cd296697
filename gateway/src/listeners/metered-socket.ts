import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Meter } from '../metering/meter.ts';
import type { StopMode } from '../relay/relay.ts';

/**
 * The origin's socket as Node's HTTP client sees it: every byte is counted on its way in and out, and none passes
 * beyond the credit.
 */
export class MeteredSocket extends Duplex {
  /** Bytes read beyond the credit wait for a grant; nothing may be read past them. */
  #isWaiting = false;
  #hasEnded = false;

  constructor(
    private readonly exit: Socket,
    private readonly meter: Meter,
  ) {
    super({ allowHalfOpen: true });
    exit.on('data', (chunk: Buffer) => this.#receive(chunk));
    exit.on('end', () => this.#end());
    exit.on('error', (error) => this.destroy(error));
    exit.on('close', () => {
      if (!this.#hasEnded) this.destroy(); // After an end the reader may still be busy with the last bytes.
    });
  }

  /** `flush` lets the reader have what was counted and then an early end. */
  stop(mode: StopMode): void {
    if (this.destroyed) return;
    if (mode === 'reset') {
      this.destroy(new Error('The tunnel was cut'));
      return;
    }
    this.#end();
    this.exit.destroy();
  }

  override _read(): void {
    if (!this.#isWaiting) this.exit.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const takenBytes = this.meter.take('toExit', chunk.length);
    if (takenBytes === chunk.length) {
      this.exit.write(chunk, done);
      return;
    }
    if (takenBytes > 0) this.exit.write(chunk.subarray(0, takenBytes));
    this.meter.whenGranted(() => this._write(chunk.subarray(takenBytes), 'buffer' as BufferEncoding, done));
  }

  override _final(done: () => void): void {
    this.exit.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (error) this.exit.resetAndDestroy();
    else this.exit.destroy();
    done(error);
  }

  #receive(chunk: Buffer): void {
    if (this.#hasEnded) return;
    const takenBytes = this.meter.take('toClient', chunk.length);
    this.#isWaiting = takenBytes < chunk.length;
    const hasRoom = takenBytes === 0 || this.push(chunk.subarray(0, takenBytes));
    if (this.#isWaiting || !hasRoom) this.exit.pause();
    if (this.#isWaiting) this.meter.whenGranted(() => this.#receiveRest(chunk.subarray(takenBytes)));
  }

  #receiveRest(chunk: Buffer): void {
    this.#receive(chunk);
    if (this.readableLength < this.readableHighWaterMark) this._read();
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.push(null);
  }
}
