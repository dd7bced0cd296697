import type { CreditState } from '@cellhop/contract/gateway';

export type Direction = 'toExit' | 'toClient';

export interface CreditAnswer {
  readonly grantedBytes: number;
  readonly state: CreditState;
}

/** Cumulative in this run; `uploadedBytes` are the part of `usedBytes` that went to destinations. */
export interface Totals {
  readonly usedBytes: number;
  readonly uploadedBytes: number;
}

export interface CreditEvents {
  /** Much has been used since the last report: send the next now, not at the next interval. */
  due(): void;
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

/** A report goes out when this part of what was left is used. Grants are sized so that the rest outlasts the answer. */
const DUE_SHARE = 0.5;
/** And when this part of what may pass unacknowledged is used: what is usually lost by a kill is not much more than it. */
const UNREPORTED_SHARE = 0.25;
/** So little is not worth a report before it is used up. */
const DUE_BYTES_MIN = 64 * 1024;

/**
 * Credit control of one connection in this run (RFC 8506). All totals only grow, so a repeated, late or reordered
 * answer changes nothing. Two walls stand before the bytes: the grant, because nothing passes that is not paid for, and
 * what the control plane has acknowledged, because the rest is given away if this process is killed.
 */
export class Credit {
  #usedBytes: number;
  #uploadedBytes: number;
  #grantedBytes: number;
  #state: CreditState;
  #reportedBytes: number;
  #acknowledgedBytes: number;
  /** The total that makes a report due; infinite between asking for it and its being sent. */
  #dueAtBytes = 0;
  #isSpentAnnounced = false;
  #coveredBytes = 0;
  readonly #covered = new Set<ReadAhead>();
  readonly #waiting = new Set<() => void>();

  /** @param unacknowledgedBytesMax what may pass beyond the last acknowledged total, until it is set anew */
  constructor(
    start: CreditAnswer & Totals,
    private unacknowledgedBytesMax: number,
    private readonly events: CreditEvents,
  ) {
    this.#usedBytes = start.usedBytes;
    this.#uploadedBytes = start.uploadedBytes;
    this.#grantedBytes = Math.max(start.grantedBytes, start.usedBytes);
    this.#state = start.state;
    this.#reportedBytes = start.usedBytes;
    this.#acknowledgedBytes = start.usedBytes;
    this.#setDue();
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** What may pass now. */
  get leftBytes(): number {
    if (this.#state === 'ended') return 0;
    const wallBytes = Math.min(this.#grantedBytes, this.#acknowledgedBytes + this.unacknowledgedBytesMax);
    return Math.max(0, wallBytes - this.#usedBytes);
  }

  /** The last granted byte is used and no more will come. */
  get isSpent(): boolean {
    return this.#state === 'final' && this.#usedBytes === this.#grantedBytes;
  }

  get state(): CreditState {
    return this.#state;
  }

  /** Counts up to `wantedBytes` as used and tells how many those are. Only they may be forwarded. */
  take(direction: Direction, wantedBytes: number): number {
    const takenBytes = Math.min(wantedBytes, this.leftBytes);
    this.#usedBytes += takenBytes;
    if (direction === 'toExit') this.#uploadedBytes += takenBytes;
    if (this.#coveredBytes > this.leftBytes) this.#revokeAll();
    if (this.#usedBytes >= this.#dueAtBytes) this.#fallDue();
    if (this.isSpent) this.#announceSpent();
    return takenBytes;
  }

  /** The totals for a report that is sent now. */
  report(): Totals {
    this.#reportedBytes = this.#usedBytes;
    // With nothing left this very report is the request for more.
    if (this.leftBytes === 0) this.#dueAtBytes = Number.POSITIVE_INFINITY;
    else this.#setDue();
    return { usedBytes: this.#usedBytes, uploadedBytes: this.#uploadedBytes };
  }

  /** The control plane has this total. */
  acknowledge(usedBytes: number): void {
    if (usedBytes <= this.#acknowledgedBytes) return;
    this.#acknowledgedBytes = usedBytes;
    this.#goOn();
  }

  allowUnacknowledged(bytes: number): void {
    if (bytes === this.unacknowledgedBytesMax) return;
    this.unacknowledgedBytesMax = bytes;
    if (this.#coveredBytes > this.leftBytes) this.#revokeAll();
    this.#goOn();
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
    if (answer.state === 'ended') {
      this.#state = 'ended';
      return this.events.ended();
    }
    // A smaller grant was given before the one that is known: its state is old, too.
    if (answer.grantedBytes < this.#grantedBytes) return;
    const isGrown = answer.grantedBytes > this.#grantedBytes;
    this.#grantedBytes = answer.grantedBytes;
    this.#state = answer.state;
    if (isGrown) this.#goOn();
    if (this.isSpent) this.#announceSpent();
  }

  /** Calls back once when bytes are left again; the answer cancels that. */
  whenGranted(callback: () => void): () => void {
    this.#waiting.add(callback);
    return () => this.#waiting.delete(callback);
  }

  /** A wall has moved. */
  #goOn(): void {
    this.#setDue();
    if (this.leftBytes > 0) this.#wake();
  }

  #setDue(): void {
    const leftBytes = this.#grantedBytes - this.#usedBytes;
    const usableBytes = Math.min(leftBytes, Math.max(DUE_BYTES_MIN, Math.ceil(leftBytes * DUE_SHARE)));
    const unreportedBytesMax = this.unacknowledgedBytesMax * UNREPORTED_SHARE;
    this.#dueAtBytes = Math.min(this.#reportedBytes + unreportedBytesMax, this.#usedBytes + usableBytes);
  }

  #revokeAll(): void {
    const reads = [...this.#covered];
    this.#covered.clear();
    this.#coveredBytes = 0;
    for (const read of reads) read.revoked();
  }

  #fallDue(): void {
    if (this.#state === 'ended' || this.isSpent) return;
    this.#dueAtBytes = Number.POSITIVE_INFINITY; // Once; the interval reports in any case.
    this.events.due();
  }

  /** Deferred: the bytes just taken have to be written before the tunnels are cut. */
  #announceSpent(): void {
    if (this.#isSpentAnnounced) return;
    this.#isSpentAnnounced = true;
    queueMicrotask(() => {
      this.#isSpentAnnounced = false;
      if (this.isSpent) this.events.spent();
    });
  }

  #wake(): void {
    const callbacks = [...this.#waiting];
    this.#waiting.clear();
    for (const callback of callbacks) callback();
  }
}
