import type { CreditState } from '@cellhop/contract/gateway';

export interface CreditAnswer {
  readonly grantedBytes: number;
  readonly state: CreditState;
}

export interface CreditEvents {
  /** Most of the grant is used: ask for more now, not at the next interval. */
  low(): void;
  /** The last granted byte is used and no more will come. */
  spent(): void;
  /** The control plane has ended the connection. */
  ended(): void;
}

/** A read that may bring so many bytes before they are counted. */
export interface ReadAhead {
  readonly bytes: number;
  /** The bytes that covered it are used by others: from now on read less at once. */
  revoked(): void;
}

const LOW_MARK = 0.8;
/** Whatever the rate, a twentieth of a grant is used before the next is asked for. */
const LOW_MARK_MIN = 0.05;
/** How much of the present rate must be left when more is asked for: several round trips to the control plane. */
const ASK_AHEAD_SECONDS = 0.1;

/**
 * Credit control of one connection in this run (RFC 8506). Both totals only grow, so a repeated, late or reordered
 * answer changes nothing.
 */
export class Credit {
  #usedBytes: number;
  #grantedBytes: number;
  #state: CreditState;
  #lowMarkBytes = 0;
  #isSpentAnnounced = false;
  #coveredBytes = 0;
  #markedAt: number;
  #markedBytes: number;
  readonly #covered = new Set<ReadAhead>();
  readonly #waiting = new Set<() => void>();

  constructor(
    start: CreditAnswer & { readonly usedBytes: number },
    private readonly events: CreditEvents,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#usedBytes = start.usedBytes;
    this.#grantedBytes = Math.max(start.grantedBytes, start.usedBytes);
    this.#state = start.state;
    this.#markedAt = now();
    this.#markedBytes = this.#usedBytes;
    this.#setLowMark();
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  get leftBytes(): number {
    return this.#state === 'ended' ? 0 : this.#grantedBytes - this.#usedBytes;
  }

  get state(): CreditState {
    return this.#state;
  }

  /** Counts up to `wantedBytes` as used and tells how many those are. Only they may be forwarded. */
  take(wantedBytes: number): number {
    const takenBytes = Math.min(wantedBytes, this.leftBytes);
    this.#usedBytes += takenBytes;
    if (this.#coveredBytes > this.leftBytes) this.#revokeAll();
    if (this.#usedBytes >= this.#lowMarkBytes) this.#reachedLowMark();
    return takenBytes;
  }

  /** Whether bytes are left for this read and all others that are covered. `uncover` when it has been counted. */
  cover(read: ReadAhead): boolean {
    if (this.#covered.has(read) || this.#coveredBytes + read.bytes > this.leftBytes) return false;
    this.#covered.add(read);
    this.#coveredBytes += read.bytes;
    return true;
  }

  uncover(read: ReadAhead): void {
    if (this.#covered.delete(read)) this.#coveredBytes -= read.bytes;
  }

  merge(answer: CreditAnswer): void {
    if (this.#state === 'ended') return;
    const isGrown = answer.grantedBytes > this.#grantedBytes;
    if (isGrown) this.#grantedBytes = answer.grantedBytes;
    this.#state = answer.state;
    if (this.#state === 'ended') return this.events.ended();
    if (isGrown) this.#setLowMark();
    if (this.leftBytes > 0) this.#wake();
    else if (this.#state === 'final') this.#announceSpent();
  }

  /** Calls back once when bytes are left again; the answer cancels that. */
  whenGranted(callback: () => void): () => void {
    this.#waiting.add(callback);
    return () => this.#waiting.delete(callback);
  }

  #setLowMark(): void {
    const now = this.now();
    const seconds = Math.max(1, now - this.#markedAt) / 1000;
    const neededBytes = ((this.#usedBytes - this.#markedBytes) / seconds) * ASK_AHEAD_SECONDS;
    this.#markedAt = now;
    this.#markedBytes = this.#usedBytes;
    const leftBytes = this.#grantedBytes - this.#usedBytes;
    const usableBytes = Math.max(leftBytes * LOW_MARK_MIN, Math.min(leftBytes * LOW_MARK, leftBytes - neededBytes));
    this.#lowMarkBytes = this.#usedBytes + Math.ceil(usableBytes);
  }

  #revokeAll(): void {
    const reads = [...this.#covered];
    this.#covered.clear();
    this.#coveredBytes = 0;
    for (const read of reads) read.revoked();
  }

  #reachedLowMark(): void {
    if (this.#state === 'final') {
      if (this.leftBytes === 0) this.#announceSpent();
    } else if (this.#state === 'open') {
      this.#lowMarkBytes = Number.POSITIVE_INFINITY; // Once per grant; the interval asks again in any case.
      this.events.low();
    }
  }

  /** Deferred: the bytes just taken have to be written before the tunnels are cut. */
  #announceSpent(): void {
    if (this.#isSpentAnnounced) return;
    this.#isSpentAnnounced = true;
    queueMicrotask(() => {
      this.#isSpentAnnounced = false;
      if (this.#state === 'final' && this.leftBytes === 0) this.events.spent();
    });
  }

  #wake(): void {
    const callbacks = [...this.#waiting];
    this.#waiting.clear();
    for (const callback of callbacks) callback();
  }
}
