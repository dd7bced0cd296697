import type { Credit, Direction } from './credit.ts';
import type { Lease } from './lease.ts';

export interface ByteTotals {
  toExit: number;
  toClient: number;
}

/** Counts one tunnel's payload against the credit of its connection, before it is written. */
export class Meter {
  readonly usedBytes: ByteTotals = { toExit: 0, toClient: 0 };
  lastUsedAt = performance.now();
  #isStopped = false;
  readonly #waits = new Set<() => void>();

  constructor(
    private readonly credit: Credit,
    private readonly nodeTotals: ByteTotals,
    private readonly grantWait: {
      readonly timeoutMs: number;
      started(): void;
      finished(seconds: number): void;
      timedOut(): void;
    },
  ) {}

  take(direction: Direction, wantedBytes: number): number {
    if (this.#isStopped) return 0;
    const takenBytes = this.credit.take(direction, wantedBytes);
    this.#count(direction, takenBytes);
    return takenBytes;
  }

  /**
   * All or nothing.
   * @param now the time, if the caller knows it: reading the clock costs more than counting
   * @returns whether a datagram was counted and may be forwarded
   */
  takeWhole(direction: Direction, bytes: number, now?: number): boolean {
    if (this.#isStopped || !this.credit.takeWhole(direction, bytes)) return false;
    this.#count(direction, bytes, now);
    return true;
  }

  /** Whether `takeWhole` would count so many bytes now. */
  hasWhole(bytes: number): boolean {
    return !this.#isStopped && this.credit.hasWhole(bytes);
  }

  /** Reserves bytes for a read that is counted after it; undefined if too few are free. */
  lease(direction: Direction, bytes: number, recalled: () => void): Lease | undefined {
    if (this.#isStopped) return undefined;
    const counted = (usedBytes: number) => this.#count(direction, usedBytes);
    return this.credit.lease(direction, bytes, { recalled, counted });
  }

  /** Calls back when bytes are granted. If the wait times out, the tunnel ends. */
  whenGranted(callback: () => void): void {
    if (this.#isStopped) return;
    const startedAt = performance.now();
    this.grantWait.started();
    const timer = setTimeout(() => this.grantWait.timedOut(), this.grantWait.timeoutMs);
    const finish = () => {
      clearTimeout(timer);
      this.grantWait.finished((performance.now() - startedAt) / 1000);
    };
    const unsubscribe = this.credit.whenGranted(() => {
      this.#waits.delete(cancel);
      finish();
      callback();
    });
    const cancel = () => {
      finish();
      unsubscribe();
    };
    this.#waits.add(cancel);
  }

  /** After this nothing may pass, and nothing is counted except bytes of an earlier lease. */
  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#waits) cancel();
    this.#waits.clear();
  }

  /** Without computed property names: with two different ones, V8 looks each of them up. */
  #count(direction: Direction, usedBytes: number, now = performance.now()): void {
    const { usedBytes: own, nodeTotals } = this;
    if (direction === 'toExit') {
      own.toExit += usedBytes;
      nodeTotals.toExit += usedBytes;
    } else {
      own.toClient += usedBytes;
      nodeTotals.toClient += usedBytes;
    }
    this.lastUsedAt = now;
  }
}
