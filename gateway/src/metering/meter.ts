import type { Credit, Direction } from './credit.ts';
import type { Lease } from './lease.ts';
import type { ByteTotals } from './outlet.ts';
import type { SpeedLimit } from './speed-limit.ts';

/** Of a tunnel whose bytes pass through the outlet of its credit. */
export interface Passage {
  /** Calls `passed` with what has passed since the last call. */
  collect(): void;
}

/** What the tunnels of one connection share. */
export interface MeteredConnection {
  readonly credit: Credit;
  readonly limits: { readonly speed: SpeedLimit | undefined };
}

/** Whose bytes are counted. */
export interface Waiter {
  readonly grantWaitMs: number;
  /** It waits for the speed limit. */
  slowed(): void;
  /** It waits for a grant. */
  grantWaitStarted(): void;
  grantWaitFinished(seconds: number): void;
  grantWaitTimedOut(): void;
}

/** Counts one tunnel's payload against the credit of its connection, before it is written. */
export class Meter {
  readonly #usedBytes: ByteTotals = { toExit: 0, toClient: 0 };
  #lastUsedAt = performance.now();
  #passage: Passage | undefined;
  private readonly credit: Credit;
  private readonly limits: MeteredConnection['limits'];
  #isStopped = false;
  /** The speed limit that has let fewer bytes pass than the credit would have. */
  #slowedBy: SpeedLimit | undefined;
  /** Created at the first wait, which most tunnels never have. */
  #waits: Set<() => void> | undefined;

  constructor(
    { credit, limits }: MeteredConnection,
    private readonly nodeTotals: ByteTotals,
    private readonly waiter: Waiter,
  ) {
    this.credit = credit;
    this.limits = limits;
  }

  get usedBytes(): Readonly<ByteTotals> {
    this.#passage?.collect();
    return this.#usedBytes;
  }

  get lastUsedAt(): number {
    this.#passage?.collect();
    return this.#lastUsedAt;
  }

  /** The credit, if bytes may pass through its outlet. A speed limit divides them among tunnels, so it needs each chunk. */
  get creditOfOutlet(): Credit | undefined {
    return this.#isStopped || this.limits.speed !== undefined ? undefined : this.credit;
  }

  setPassage(passage: Passage | undefined): void {
    this.#passage = passage;
  }

  /** Bytes have passed through the outlet of the credit, which counts them as well. */
  passed(direction: Direction, bytes: number, at: number): void {
    this.#count(direction, bytes, at);
  }

  take(direction: Direction, wantedBytes: number): number {
    if (this.#isStopped) return 0;
    const { speed } = this.limits;
    const allowedBytes = speed === undefined ? wantedBytes : speed.take(wantedBytes, this);
    const takenBytes = this.credit.take(direction, allowedBytes);
    if (speed !== undefined) this.#noteSpeed(speed, { wantedBytes, allowedBytes, takenBytes });
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
    // A wide read would be more than a moment's share of the speed limit.
    if (this.#isStopped || this.limits.speed !== undefined) return undefined;
    const counted = (usedBytes: number) => this.#count(direction, usedBytes);
    return this.credit.lease(direction, bytes, { recalled, counted });
  }

  /** Calls back when more bytes may pass: because they are granted, or after a pause for the speed limit. A wait for a grant may time out; then the tunnel ends. */
  whenGranted(callback: () => void): void {
    if (this.#isStopped) return;
    const { speed } = this.limits;
    if (speed !== undefined && speed === this.#slowedBy) return this.#whenRefilled(speed, callback);
    const waits = (this.#waits ??= new Set());
    const startedAt = performance.now();
    this.waiter.grantWaitStarted();
    const timer = setTimeout(() => this.waiter.grantWaitTimedOut(), this.waiter.grantWaitMs);
    const finish = () => {
      clearTimeout(timer);
      this.waiter.grantWaitFinished((performance.now() - startedAt) / 1000);
    };
    const unsubscribe = this.credit.whenGranted(() => {
      waits.delete(cancel);
      finish();
      callback();
    });
    const cancel = () => {
      finish();
      unsubscribe();
    };
    waits.add(cancel);
  }

  #whenRefilled(speed: SpeedLimit, callback: () => void): void {
    const waits = (this.#waits ??= new Set());
    this.waiter.slowed();
    const unsubscribe = speed.whenRefilled(() => {
      waits.delete(unsubscribe);
      callback();
    }, this);
    waits.add(unsubscribe);
  }

  #noteSpeed(
    speed: SpeedLimit,
    { wantedBytes, allowedBytes, takenBytes }: { wantedBytes: number; allowedBytes: number; takenBytes: number },
  ): void {
    speed.giveBack(allowedBytes - takenBytes, this);
    this.#slowedBy = takenBytes === allowedBytes && allowedBytes < wantedBytes ? speed : undefined;
  }

  /** After this nothing may pass, and nothing is counted except bytes of an earlier lease. */
  stop(): void {
    this.#isStopped = true;
    if (this.#waits) for (const cancel of this.#waits) cancel();
    this.#waits = undefined;
    this.limits.speed?.leave(this);
  }

  /** Without computed property names: with two different ones, V8 looks each of them up. */
  #count(direction: Direction, usedBytes: number, now = performance.now()): void {
    const { nodeTotals } = this;
    const own = this.#usedBytes;
    if (direction === 'toExit') {
      own.toExit += usedBytes;
      nodeTotals.toExit += usedBytes;
    } else {
      own.toClient += usedBytes;
      nodeTotals.toClient += usedBytes;
    }
    this.#lastUsedAt = now;
  }
}
