import type { CreditState } from '@cellhop/contract/gateway';
import { Lease, type LeaseHolder } from './lease.ts';

export type Direction = 'toExit' | 'toClient';

export interface CreditGrant {
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
  #leasedBytes = 0;
  readonly #leases = new Set<Lease>();
  readonly #waiting = new Set<() => void>();

  /** @param unacknowledgedBytesMax what may pass beyond the last acknowledged total, until it is set anew */
  constructor(
    start: CreditGrant & Totals,
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

  /** What may pass now, leased bytes included. */
  get leftBytes(): number {
    if (this.#state === 'ended') return 0;
    const wallBytes = Math.min(this.#grantedBytes, this.#acknowledgedBytes + this.unacknowledgedBytesMax);
    return Math.max(0, wallBytes - this.#usedBytes);
  }

  /** The last granted byte is used and no more will come. */
  get isSpent(): boolean {
    return this.#state === 'final' && this.#usedBytes === this.#grantedBytes;
  }

  /** The control plane has the total that is used now, and nobody waits for more. */
  get isUpToDate(): boolean {
    return this.#usedBytes === this.#acknowledgedBytes && this.#waiting.size === 0;
  }

  get state(): CreditState {
    return this.#state;
  }

  /** Counts up to `wantedBytes` as used and tells how many those are. Only they may be forwarded. */
  take(direction: Direction, wantedBytes: number): number {
    const takenBytes = Math.min(wantedBytes, this.#freeBytesFor(wantedBytes));
    this.#count(direction, takenBytes);
    return takenBytes;
  }

  /** All or nothing, for what cannot be cut: whether these bytes are counted, and may be forwarded. */
  takeWhole(direction: Direction, bytes: number): boolean {
    if (bytes <= this.#freeBytesFor(bytes)) {
      this.#count(direction, bytes);
      return true;
    }
    // What is left is too little to fall due by being used. Where the grant is final only the window can still move.
    const canGrow = this.#state === 'open' || bytes <= this.#grantedBytes - this.#usedBytes;
    if (canGrow && this.#dueAtBytes !== Number.POSITIVE_INFINITY) this.#fallDue();
    return false;
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
    if (this.#leasedBytes > this.leftBytes) this.#recallAll();
    this.#goOn();
  }

  /** Sets bytes aside; undefined if not so many are free. When others need them, all leases are recalled. */
  lease(direction: Direction, bytes: number, holder: LeaseHolder): Lease | undefined {
    if (this.#leasedBytes + bytes > this.leftBytes) return undefined;
    const lease = new Lease(bytes, holder, (lease, usedBytes) => this.#settled(lease, direction, usedBytes));
    this.#leases.add(lease);
    this.#leasedBytes += bytes;
    return lease;
  }

  merge(answer: CreditGrant): void {
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

  #freeBytesFor(wantedBytes: number): number {
    if (this.#leasedBytes > 0 && wantedBytes > this.leftBytes - this.#leasedBytes) this.#recallAll();
    return Math.max(0, this.leftBytes - this.#leasedBytes);
  }

  #recallAll(): void {
    for (const lease of this.#leases) lease.recall();
  }

  /** Counted whatever has happened since: it was granted when it was leased, and it has passed. */
  #settled(lease: Lease, direction: Direction, usedBytes: number): void {
    this.#leases.delete(lease);
    this.#leasedBytes -= lease.bytes;
    this.#count(direction, usedBytes);
    if (this.#waiting.size > 0 && this.leftBytes > this.#leasedBytes) this.#wake();
  }

  #count(direction: Direction, usedBytes: number): void {
    this.#usedBytes += usedBytes;
    if (direction === 'toExit') this.#uploadedBytes += usedBytes;
    if (this.#usedBytes >= this.#dueAtBytes) this.#fallDue();
    if (this.isSpent) this.#announceSpent();
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
