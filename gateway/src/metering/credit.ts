import type { CreditState } from '@cellhop/contract/gateway';
import { Lease, type LeaseHolder } from './lease.ts';
import { type Outlet, OutletShare } from './outlet.ts';

export type Direction = 'toExit' | 'toClient';

export interface CreditGrant {
  readonly grantedBytes: number;
  readonly state: CreditState;
  /** Why there is no further grant or why the connection has ended, as sent by the control plane. */
  readonly reason?: string | undefined;
}

/** Cumulative in this run; `uploadedBytes` is the part of `usedBytes` that went to destinations. */
export interface Totals {
  readonly usedBytes: number;
  readonly uploadedBytes: number;
}

export interface CreditEvents {
  /** Enough was used to send a report now instead of at the next interval. */
  due(): void;
  /** The final grant is used up. */
  spent(): void;
  /** The control plane has ended the connection. */
  ended(): void;
}

/** A report is due when this share of the remaining grant is used; the rest should last until the response. */
const DUE_SHARE = 0.5;
/** Also when this share of the unacknowledged window is used: it bounds what is usually lost if the process is killed. */
const UNREPORTED_SHARE = 0.25;
/** A smaller remaining grant does not make a report due before it is used up. */
const DUE_BYTES_MIN = 64 * 1024;

/**
 * Credit control of one connection in this run (RFC 8506). All totals are monotonic, so a repeated, late or reordered
 * response changes nothing. Two limits apply: the grant, because only paid bytes may pass, and the window beyond the last
 * acknowledged total, because unacknowledged bytes are lost if this process is killed.
 */
export class Credit {
  #usedBytes: number;
  #uploadedBytes: number;
  #grantedBytes: number;
  #state: CreditState;
  #reason: string | undefined;
  #reportedBytes: number;
  #acknowledgedBytes: number;
  /** The total that makes a report due; infinite while a requested report has not been sent. */
  #dueAtBytes = 0;
  #isSpentAnnounced = false;
  #leasedBytes = 0;
  readonly #leases = new Set<Lease>();
  #outlet: OutletShare | undefined;
  readonly #waiting = new Set<() => void>();

  /** @param unacknowledgedBytesMax the initial window beyond the last acknowledged total */
  constructor(
    start: CreditGrant & Totals,
    private unacknowledgedBytesMax: number,
    private readonly events: CreditEvents,
  ) {
    this.#usedBytes = start.usedBytes;
    this.#uploadedBytes = start.uploadedBytes;
    this.#grantedBytes = Math.max(start.grantedBytes, start.usedBytes);
    this.#state = start.state;
    this.#reason = start.reason;
    this.#reportedBytes = start.usedBytes;
    this.#acknowledgedBytes = start.usedBytes;
    this.#setDue();
  }

  get usedBytes(): number {
    if (this.#outlet === undefined) return this.#usedBytes;
    const { toExit, toClient } = this.#outlet.uncounted;
    return this.#usedBytes + toExit + toClient;
  }

  /** Bytes that may pass now, including leased ones. */
  get leftBytes(): number {
    if (this.#state === 'ended') return 0;
    return Math.max(0, this.#limitBytes - this.usedBytes);
  }

  get #limitBytes(): number {
    return Math.min(this.#grantedBytes, this.#acknowledgedBytes + this.unacknowledgedBytesMax);
  }

  /** Neither used nor reserved. What is reserved includes what has passed through the outlet and is not counted yet. */
  get #freeBytes(): number {
    if (this.#state === 'ended') return 0;
    return Math.max(0, this.#limitBytes - this.#usedBytes - this.#leasedBytes);
  }

  /** The final grant is used up. */
  get isSpent(): boolean {
    return this.#state === 'final' && this.usedBytes === this.#grantedBytes;
  }

  /** The current total is acknowledged, and no tunnel waits for a grant. */
  get isUpToDate(): boolean {
    return this.usedBytes === this.#acknowledgedBytes && this.#waiting.size === 0;
  }

  get state(): CreditState {
    return this.#state;
  }

  /** Why there is no further grant or why the connection has ended, as sent by the control plane. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Counts up to `wantedBytes` as used. @returns the counted bytes: only these may be forwarded */
  take(direction: Direction, wantedBytes: number): number {
    const takenBytes = Math.min(wantedBytes, this.#freeBytesFor(wantedBytes));
    this.#count(direction, takenBytes);
    return takenBytes;
  }

  /** All or nothing, for datagrams. @returns whether the bytes were counted and may be forwarded */
  takeWhole(direction: Direction, bytes: number): boolean {
    if (!this.hasWhole(bytes)) return false;
    this.#count(direction, bytes);
    return true;
  }

  /** Whether so many bytes may pass now; if not, a report requests more. */
  hasWhole(bytes: number): boolean {
    if (bytes <= this.#freeBytesFor(bytes)) return true;
    // The remaining bytes cannot make a report due, because they cannot be used. With a final grant only the window can grow.
    if (!this.isBeyondFinal(bytes) && this.#dueAtBytes !== Number.POSITIVE_INFINITY) this.#requestReport();
    return false;
  }

  /** Whether the grant is final and too small for so many bytes. */
  isBeyondFinal(bytes: number): boolean {
    return this.#state === 'final' && bytes > this.#grantedBytes - this.usedBytes;
  }

  /** The totals for a report; call it when the report is sent. */
  report(): Totals {
    this.collectOutlet();
    this.#reportedBytes = this.#usedBytes;
    // With nothing left, this report itself requests more.
    if (this.leftBytes === 0) this.#dueAtBytes = Number.POSITIVE_INFINITY;
    else this.#setDue();
    return { usedBytes: this.#usedBytes, uploadedBytes: this.#uploadedBytes };
  }

  /** The control plane has stored this total. */
  acknowledge(usedBytes: number): void {
    if (usedBytes <= this.#acknowledgedBytes) return;
    this.#acknowledgedBytes = usedBytes;
    this.#limitRaised();
  }

  allowUnacknowledged(bytes: number): void {
    if (bytes === this.unacknowledgedBytesMax) return;
    this.unacknowledgedBytesMax = bytes;
    if (this.#leasedBytes > this.#limitBytes - this.#usedBytes) this.#recallAll();
    this.#limitRaised();
  }

  /** Reserves bytes; undefined if too few are free. All leases are recalled when others need the bytes. */
  lease(direction: Direction, bytes: number, holder: LeaseHolder): Lease | undefined {
    if (bytes > this.#freeBytes) return undefined;
    const lease = new Lease(bytes, holder, (lease, usedBytes) => this.#settled(lease, direction, usedBytes));
    this.#leases.add(lease);
    this.#leasedBytes += bytes;
    return lease;
  }

  /** From now on bytes may also pass through the outlet, as far as `refillOutlet` has reserved them. */
  openOutlet(outlet: Outlet): void {
    if (this.#outlet !== undefined) throw new Error('A credit has one outlet');
    this.#outlet = new OutletShare(outlet);
  }

  closeOutlet(): void {
    this.#recallOutlet();
    this.#outlet = undefined;
    if (this.#waiting.size > 0 && this.#freeBytes > 0) this.#wake();
  }

  /** Counts what has passed through the outlet. */
  collectOutlet(): void {
    if (this.#outlet === undefined) return;
    const { toExit, toClient } = this.#outlet.collect();
    this.#leasedBytes -= toExit + toClient;
    if (toExit > 0) this.#count('toExit', toExit);
    if (toClient > 0) this.#count('toClient', toClient);
  }

  /** @returns whether anything may pass through the outlet now */
  refillOutlet(): boolean {
    if (this.#outlet === undefined) return false;
    this.collectOutlet();
    this.#leasedBytes -= this.#outlet.reservedBytes;
    this.#outlet.reserve(this.#freeBytes, this.#dueAtBytes - this.#usedBytes);
    this.#leasedBytes += this.#outlet.reservedBytes;
    return this.#outlet.reservedBytes > 0;
  }

  merge(grant: CreditGrant): void {
    if (this.#state === 'ended') return;
    if (grant.state === 'ended') {
      this.#state = 'ended';
      this.#reason = grant.reason;
      return this.events.ended();
    }
    // A smaller grant is older than the current one, and so is its state.
    if (grant.grantedBytes < this.#grantedBytes) return;
    const isGrown = grant.grantedBytes > this.#grantedBytes;
    this.#grantedBytes = grant.grantedBytes;
    this.#state = grant.state;
    this.#reason = grant.reason;
    if (isGrown) this.#limitRaised();
    if (this.isSpent) this.#announceSpent();
  }

  /** Calls back once when bytes are available. @returns a function that cancels the callback */
  whenGranted(callback: () => void): () => void {
    this.#waiting.add(callback);
    return () => this.#waiting.delete(callback);
  }

  /** The grant or the window has grown. */
  #limitRaised(): void {
    this.collectOutlet();
    this.#setDue();
    if (this.leftBytes > 0) this.#wake();
    this.refillOutlet();
  }

  #setDue(): void {
    const leftBytes = this.#grantedBytes - this.#usedBytes;
    const usableBytes = Math.min(leftBytes, Math.max(DUE_BYTES_MIN, Math.ceil(leftBytes * DUE_SHARE)));
    const unreportedBytesMax = this.unacknowledgedBytesMax * UNREPORTED_SHARE;
    this.#dueAtBytes = Math.min(this.#reportedBytes + unreportedBytesMax, this.#usedBytes + usableBytes);
  }

  #freeBytesFor(wantedBytes: number): number {
    if (this.#leasedBytes > 0 && wantedBytes > this.#freeBytes) this.#recallAll();
    return this.#freeBytes;
  }

  #recallAll(): void {
    for (const lease of this.#leases) lease.recall();
    this.#recallOutlet();
  }

  #recallOutlet(): void {
    this.collectOutlet();
    this.#leasedBytes -= this.#outlet?.reservedBytes ?? 0;
    this.#outlet?.reserve(0, 0);
  }

  /** Counted in any state: the bytes were granted when they were leased, and they have passed. */
  #settled(lease: Lease, direction: Direction, usedBytes: number): void {
    this.#leases.delete(lease);
    this.#leasedBytes -= lease.bytes;
    this.#count(direction, usedBytes);
    if (this.#waiting.size > 0 && this.#freeBytes > 0) this.#wake();
  }

  #count(direction: Direction, usedBytes: number): void {
    this.#usedBytes += usedBytes;
    if (direction === 'toExit') this.#uploadedBytes += usedBytes;
    if (this.#usedBytes >= this.#dueAtBytes) this.#requestReport();
    if (this.isSpent) this.#announceSpent();
  }

  #requestReport(): void {
    if (this.#state === 'ended' || this.isSpent) return;
    this.#dueAtBytes = Number.POSITIVE_INFINITY; // Requested once; the next interval reports in any case.
    this.events.due();
  }

  /** Deferred, because the counted bytes must be written before the tunnels close. */
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
