import type { Credit, Direction, ReadAhead } from './credit.ts';

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
      begun(): void;
      over(seconds: number): void;
      timedOut(): void;
    },
  ) {}

  take(direction: Direction, wantedBytes: number): number {
    if (this.#isStopped) return 0;
    const takenBytes = this.credit.take(direction, wantedBytes);
    this.usedBytes[direction] += takenBytes;
    this.nodeTotals[direction] += takenBytes;
    this.lastUsedAt = performance.now();
    return takenBytes;
  }

  cover(read: ReadAhead): boolean {
    return !this.#isStopped && this.credit.cover(read);
  }

  uncover(read: ReadAhead): void {
    this.credit.uncover(read);
  }

  /** Calls back when bytes are granted again. Without a grant in time the tunnel is told to end. */
  whenGranted(callback: () => void): void {
    if (this.#isStopped) return;
    const begunAt = performance.now();
    this.grantWait.begun();
    const timer = setTimeout(() => this.grantWait.timedOut(), this.grantWait.timeoutMs);
    const over = () => {
      clearTimeout(timer);
      this.grantWait.over((performance.now() - begunAt) / 1000);
    };
    const forget = this.credit.whenGranted(() => {
      this.#waits.delete(cancel);
      over();
      callback();
    });
    const cancel = () => {
      over();
      forget();
    };
    this.#waits.add(cancel);
  }

  /** After this nothing is counted and nothing may pass. */
  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#waits) cancel();
    this.#waits.clear();
  }
}
