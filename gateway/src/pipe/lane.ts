import type { Direction } from '../metering/credit.ts';
import type { Lease } from '../metering/lease.ts';
import type { Meter } from '../metering/meter.ts';
import type { Side } from './pipe.ts';

/** One direction of a pipe: counts and forwards granted bytes, holds the rest, and forwards the end after all bytes. */
export class Lane {
  #ungranted: Buffer | undefined;
  #isStopped = false;
  #hasEnded = false;
  /** Created at the first write here, which most silent tunnels never have. */
  #onDrained: (() => void) | undefined;

  constructor(
    private source: Side,
    private destination: Side,
    private readonly direction: Direction,
    private readonly meter: Meter,
  ) {}

  /** The source has sent a clean end (FIN). */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The destination has received all bytes and the end. */
  get isComplete(): boolean {
    return this.#hasEnded && this.#ungranted === undefined;
  }

  /** Nothing waits for a grant, and neither the end nor a stop is known. */
  get isFlowing(): boolean {
    return !this.#hasEnded && !this.#isStopped && this.#ungranted === undefined;
  }

  /** Continues after bytes have passed without this lane. @param counted the last of them, which are to be written */
  continueWith(counted: Buffer | undefined): void {
    if (counted === undefined || this.#write(counted)) this.resumeSource();
  }

  /** Starts, or continues after a side was replaced, with bytes that were read before. */
  start(early: Buffer): void {
    if (early.length > 0 ? this.forward(early) : this.#ungranted === undefined) this.source.resume();
  }

  /** Discards all further bytes. */
  stop(): void {
    this.#isStopped = true;
    this.#ungranted = undefined;
  }

  /** Reserves credit for a large read. */
  lease(bytes: number, recalled: () => void): Lease | undefined {
    return this.#isStopped ? undefined : this.meter.lease(this.direction, bytes, recalled);
  }

  /** Forwards the granted bytes and holds the rest until the next grant. @returns true if the source may continue */
  forward(chunk: Buffer, lease?: Lease): boolean {
    if (this.#isStopped || this.#ungranted !== undefined) {
      lease?.settle(0);
      return this.#isStopped || this.#hold(chunk);
    }
    const takenBytes = lease ? lease.settle(chunk.length) : this.meter.take(this.direction, chunk.length);
    const isComplete = takenBytes === chunk.length;
    const isFlowing = takenBytes === 0 || this.#write(isComplete ? chunk : chunk.subarray(0, takenBytes));
    if (isComplete) return isFlowing;
    // Copied, because the buffer may be pooled. This happens only when the credit runs out.
    this.#ungranted = Buffer.from(chunk.subarray(takenBytes));
    this.meter.whenGranted(() => this.#forwardUngranted());
    return false;
  }

  /** Call it when the source has ended. Bytes that wait for a grant are forwarded first. */
  end(): void {
    this.#hasEnded = true;
    if (this.#ungranted === undefined && !this.#isStopped) this.destination.end();
  }

  /** Resumes the source unless bytes are waiting for a grant or for the destination. */
  resumeSource(): void {
    const isBlocked = this.#ungranted !== undefined || this.destination.pendingBytes > 0;
    if (!isBlocked && !this.#isStopped) this.source.resume();
  }

  replaceSource(side: Side): void {
    this.source = side;
  }

  replaceDestination(side: Side): void {
    this.destination = side;
  }

  #write(chunk: Buffer): boolean {
    this.#onDrained ??= () => this.resumeSource();
    return this.destination.write(chunk, this.#onDrained);
  }

  #hold(chunk: Buffer): boolean {
    this.#ungranted = Buffer.concat([this.#ungranted ?? Buffer.alloc(0), chunk]);
    return false;
  }

  #forwardUngranted(): void {
    const ungranted = this.#ungranted;
    this.#ungranted = undefined;
    if (ungranted === undefined) return;
    const isFlowing = this.forward(ungranted);
    if (this.isComplete) this.destination.end();
    else if (isFlowing) this.resumeSource();
  }
}
