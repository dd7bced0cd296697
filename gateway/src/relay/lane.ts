import type { Socket } from 'node:net';
import type { Direction } from '../metering/credit.ts';
import type { Meter } from '../metering/meter.ts';

/** One direction of a tunnel. Subclasses know how bytes are read and when a written chunk is no longer needed. */
export abstract class Lane {
  #rest: Buffer | undefined;
  #isStopped = false;

  constructor(
    protected readonly source: Socket,
    protected readonly destination: Socket,
    private readonly direction: Direction,
    protected readonly meter: Meter,
  ) {}

  /** Writes a chunk; true when the source may go on at once. Otherwise `goOn` is called later. */
  protected abstract write(chunk: Buffer): boolean;

  /** Begins with the bytes that came before the relay. */
  start(early: Buffer): void {
    if (early.length === 0 || this.forward(early)) this.source.resume();
  }

  /** From now on bytes are read and thrown away. */
  stop(): void {
    this.#isStopped = true;
    this.#rest = undefined;
  }

  /** Forwards what is granted and keeps the rest until more is; true when the source may go on. */
  protected forward(chunk: Buffer): boolean {
    if (this.#isStopped) return true;
    const takenBytes = this.meter.take(this.direction, chunk.length);
    const isTaken = takenBytes === chunk.length;
    const isFlowing = takenBytes === 0 || this.write(isTaken ? chunk : chunk.subarray(0, takenBytes));
    if (isTaken) return isFlowing;
    // Copied: the buffer may belong to a pool, and this happens only when credit runs out.
    this.#rest = Buffer.from(chunk.subarray(takenBytes));
    this.meter.whenGranted(() => this.#forwardRest());
    return false;
  }

  protected goOn(): void {
    const isBlocked = this.#rest !== undefined || this.destination.writableLength > 0;
    if (!isBlocked && !this.#isStopped && !this.source.destroyed) this.source.resume();
  }

  #forwardRest(): void {
    const rest = this.#rest;
    this.#rest = undefined;
    if (rest !== undefined && this.forward(rest)) this.goOn();
  }
}
