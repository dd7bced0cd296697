import { Duplex } from 'node:stream';
import type { Side, SideListener } from '../pipe/side.ts';

/** Node's HTTP client as the side of a pipe. `stream` is what it takes for the origin's socket. */
export class HttpSide implements Side {
  readonly stream: Duplex;
  #listener: SideListener | undefined;
  #isInputEnded = false;
  #isCut = false;
  /** Called when the HTTP client has room again. */
  #taken: (() => void) | undefined;
  /** Called when the pipe takes more of the request; the HTTP client waits for it. */
  #written: (() => void) | undefined;

  constructor() {
    this.stream = new Duplex({
      allowHalfOpen: true,
      // Node writes a head that waits for `100 Continue` without an encoding.
      defaultEncoding: 'latin1',
      read: () => {
        const taken = this.#taken;
        this.#taken = undefined;
        taken?.();
      },
      write: (chunk: Buffer, _encoding, written) => {
        this.#written = written;
        if (this.#listener?.data(chunk)) this.resume();
      },
      // Never finished: Node would destroy a stream that has ended on both sides, with a part of the answer unread.
      final: () => this.#listener?.ended(),
      destroy: (error, done) => {
        this.#listener?.closed();
        done(error);
      },
    });
  }

  /** Everything that was counted has been passed on, but the origin may have had more. */
  get isCut(): boolean {
    return this.#isCut;
  }

  get pendingBytes(): number {
    return this.#taken ? this.stream.readableLength : 0;
  }

  open(listener: SideListener): void {
    this.#listener = listener;
  }

  write(chunk: Buffer, taken: () => void): boolean {
    const hasRoom = this.stream.push(chunk);
    if (!hasRoom) this.#taken = taken;
    return hasRoom;
  }

  end(): void {
    if (this.#isInputEnded || this.stream.destroyed) return;
    this.#isInputEnded = true;
    this.stream.push(null);
  }

  reset(): void {
    this.stream.destroy(new Error('The tunnel was cut'));
  }

  resetAfterDelivery(): void {
    this.#isCut = true;
    this.end();
  }

  close(): void {
    this.stream.destroy();
  }

  resume(): void {
    const written = this.#written;
    this.#written = undefined;
    written?.();
  }

  /** What the HTTP client has not read, when another side takes over. */
  release(): { bytes: Buffer; isEnded: boolean } {
    const bytes = (this.stream.read() as Buffer | null) ?? Buffer.alloc(0);
    return { bytes, isEnded: this.#isInputEnded };
  }
}
