/** Refills while tunnels wait: often enough for interactive use, seldom enough to cost little. */
const REFILL_MS = 25;
/** What may pass at once after a pause, in seconds of the limit; at least the largest datagram. */
const BURST_SECONDS = 0.25;
const BURST_BYTES_MIN = 64 * 1024;
/** The smallest share of a refill: a segment. Otherwise many waiting tunnels would write a few bytes each. */
const SHARE_BYTES_MIN = 1_460;

/**
 * The speed limit of one connection: a token bucket for both directions of all its tunnels and associations. Tunnels wait, so that their
 * senders slow down; datagrams are dropped. Each refill is divided among the tunnels that wait, so a small message passes
 * beside large downloads.
 */
export class SpeedLimit {
  #bytesPerSecond: number;
  #tokens: number;
  #filledAt: number;
  /** What one waiting tunnel may take of this refill; undefined outside of it. */
  #share: number | undefined;
  /** In the order in which they are served. */
  readonly #waiting = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    bytesPerSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#tokens = this.#burstBytes;
    this.#filledAt = now();
  }

  get bytesPerSecond(): number {
    return this.#bytesPerSecond;
  }

  change(bytesPerSecond: number): void {
    this.#refill();
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** @returns how many of the wanted bytes may pass now */
  take(wantedBytes: number): number {
    // Those that wait already come first.
    if (this.#share === undefined && this.#waiting.size > 0) return 0;
    this.#refill();
    const takenBytes = Math.max(0, Math.min(wantedBytes, this.#share ?? wantedBytes, Math.floor(this.#tokens)));
    this.#tokens -= takenBytes;
    return takenBytes;
  }

  /** All or nothing, for datagrams, which do not wait. */
  takeWhole(bytes: number): boolean {
    this.#refill();
    if (this.#tokens < bytes) return false;
    this.#tokens -= bytes;
    return true;
  }

  /** Bytes that pass in any case: those after them wait longer. */
  spend(bytes: number): void {
    this.#tokens -= bytes;
  }

  /** Taken bytes that did not pass. */
  giveBack(bytes: number): void {
    this.#tokens += bytes;
  }

  /** Calls back once when bytes may pass. @returns a function that cancels the callback */
  whenRefilled(callback: () => void): () => void {
    // Wrapped, because the same callback may wait again.
    const waiting = () => callback();
    this.#waiting.add(waiting);
    this.#timer ??= setTimeout(() => this.#serve(), REFILL_MS);
    return () => this.#waiting.delete(waiting);
  }

  /** The limit is gone: nobody waits for it any more. */
  release(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const callback of this.#takeWaiting(this.#waiting.size)) callback();
  }

  get #burstBytes(): number {
    return Math.max(BURST_BYTES_MIN, this.#bytesPerSecond * BURST_SECONDS);
  }

  #refill(): void {
    const now = this.now();
    const refill = ((now - this.#filledAt) / 1000) * this.#bytesPerSecond;
    this.#tokens = Math.min(this.#burstBytes, this.#tokens + refill);
    this.#filledAt = now;
  }

  #serve(): void {
    this.#timer = undefined;
    this.#refill();
    const share = Math.max(SHARE_BYTES_MIN, Math.floor(this.#tokens / Math.max(1, this.#waiting.size)));
    const served = this.#takeWaiting(Math.max(0, Math.floor(this.#tokens / share)));
    this.#share = share;
    for (const callback of served) callback();
    this.#share = undefined;
    if (this.#waiting.size > 0) this.#timer ??= setTimeout(() => this.#serve(), REFILL_MS);
  }

  /** The first ones; whoever waits again afterwards is the last. */
  #takeWaiting(count: number): (() => void)[] {
    const first = [...this.#waiting].slice(0, count);
    for (const callback of first) this.#waiting.delete(callback);
    return first;
  }
}
