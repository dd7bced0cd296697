import type { Direction } from '../metering/credit.ts';
import type { Lease } from '../metering/lease.ts';
import type { Meter } from '../metering/meter.ts';
import type { Side } from './side.ts';

/** One direction of a pipe: counts, forwards what is granted, keeps the rest, and passes the end on behind it. */
export class Lane {
  #rest: Buffer | undefined;
  #isStopped = false;
  #hasEnded = false;
  readonly #taken = () => this.goOn();

  constructor(
    private source: Side,
    private destination: Side,
    private readonly direction: Direction,
    private readonly meter: Meter,
  ) {}

  /** The source has ended in order. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** And the destination has everything, with the end behind it. */
  get isComplete(): boolean {
    return this.#hasEnded && this.#rest === undefined;
  }

  /** Begins, or goes on after a side was replaced, with bytes that were read before. */
  start(early: Buffer): void {
    if (early.length > 0 ? this.forward(early) : this.#rest === undefined) this.source.resume();
  }

  /** From now on bytes are read and thrown away. */
  stop(): void {
    this.#isStopped = true;
    this.#rest = undefined;
  }

  /** Sets bytes aside for a large read, which then needs no look at the credit before it. */
  lease(bytes: number, recalled: () => void): Lease | undefined {
    return this.#isStopped ? undefined : this.meter.lease(this.direction, bytes, recalled);
  }

  /** Forwards what is granted and keeps the rest until more is; true when the source may go on. */
  forward(chunk: Buffer, lease?: Lease): boolean {
    if (this.#isStopped || this.#rest !== undefined) {
      lease?.settle(0);
      return this.#isStopped || this.#keep(chunk);
    }
    const takenBytes = lease ? lease.settle(chunk.length) : this.meter.take(this.direction, chunk.length);
    const isTaken = takenBytes === chunk.length;
    const isFlowing =
      takenBytes === 0 || this.destination.write(isTaken ? chunk : chunk.subarray(0, takenBytes), this.#taken);
    if (isTaken) return isFlowing;
    // Copied: the buffer may belong to a pool, and this happens only when credit runs out.
    this.#rest = Buffer.from(chunk.subarray(takenBytes));
    this.meter.whenGranted(() => this.#forwardRest());
    return false;
  }

  /** The source has ended. Bytes that wait for a grant go first. */
  end(): void {
    this.#hasEnded = true;
    if (this.#rest === undefined && !this.#isStopped) this.destination.end();
  }

  /** Lets the source read on, unless something is still in the way. */
  goOn(): void {
    const isBlocked = this.#rest !== undefined || this.destination.pendingBytes > 0;
    if (!isBlocked && !this.#isStopped) this.source.resume();
  }

  replaceSource(side: Side): void {
    this.source = side;
  }

  replaceDestination(side: Side): void {
    this.destination = side;
  }

  #keep(chunk: Buffer): boolean {
    this.#rest = Buffer.concat([this.#rest ?? Buffer.alloc(0), chunk]);
    return false;
  }

  #forwardRest(): void {
    const rest = this.#rest;
    this.#rest = undefined;
    if (rest === undefined) return;
    const isFlowing = this.forward(rest);
    if (this.isComplete) this.destination.end();
    else if (isFlowing) this.goOn();
  }
}
