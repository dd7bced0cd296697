/** Refills while traffic waits: often enough for interactive use, seldom enough to cost little. */
const REFILL_MS = 25;
/** What may pass at once after a pause, in seconds of the limit; at least the largest datagram. */
const BURST_SECONDS = 0.25;
const BURST_BYTES_MIN = 64 * 1024;
/** The smallest share of a refill: a segment. Otherwise many waiting flows would write a few bytes each. */
const SHARE_BYTES_MIN = 1_460;
/** Unused shares are kept up to this number: a flow may not be ready for each refill. */
const SHARES_KEPT = 2;
/** Datagrams do not wait, so a question and its answer pass ahead of the shares that pay for them; at least two segments. */
const AHEAD_SECONDS = 0.05;
const AHEAD_BYTES_MIN = 2 * SHARE_BYTES_MIN;
/** Flows that have not asked for this time get no share any more. */
const IDLE_MS = 500;

/** A tunnel, an association, or the questions on a DNS port: its meter. */
export type SpeedFlow = object;

interface Account {
  /** Its shares that it has not used; negative: what passed ahead of them. */
  bytes: number;
  askedAt: number;
}

/**
 * The speed limit of one connection: a token bucket for both directions of all its flows. Tunnels wait, so that their senders slow
 * down; datagrams are dropped. While it is too low for all, each refill is divided among the flows that have asked lately, so that a
 * small message passes during large downloads, and no flow takes the share of another one, regardless of its protocol.
 */
export class SpeedLimit {
  #bytesPerSecond: number;
  #tokens: number;
  #filledAt: number;
  /** Empty while the limit is high enough for all. New flows and those that were served least recently come first. */
  readonly #accounts = new Map<SpeedFlow, Account>();
  /** Accounts that have had no share yet. */
  readonly #fresh = new Set<SpeedFlow>();
  /** By callback, in the order in which they are served. */
  readonly #waiting = new Map<() => void, SpeedFlow>();
  #refusedAt = 0;
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
  take(wantedBytes: number, flow: SpeedFlow): number {
    this.#refill();
    const account = this.#accountFor(flow);
    const takenBytes = Math.max(0, Math.min(wantedBytes, Math.floor(account?.bytes ?? this.#tokens)));
    this.#pay(account, takenBytes);
    if (takenBytes < wantedBytes) this.#refuse(flow);
    return takenBytes;
  }

  /** All or nothing, for datagrams, which do not wait. */
  takeWhole(bytes: number, flow: SpeedFlow): boolean {
    this.#refill();
    const account = this.#accountFor(flow);
    const isAllowed = account ? account.bytes > -this.#aheadBytes : this.#tokens >= bytes;
    if (isAllowed) this.#pay(account, bytes);
    else this.#refuse(flow);
    return isAllowed;
  }

  /** Bytes that pass in any case: those after them wait longer. */
  spend(bytes: number, flow: SpeedFlow): void {
    this.#pay(this.#accountFor(flow), bytes);
  }

  /** Taken bytes that did not pass. */
  giveBack(bytes: number, flow: SpeedFlow): void {
    this.#pay(this.#accounts.get(flow), -bytes);
  }

  /** Calls back once when bytes may pass. @returns a function that cancels the callback */
  whenRefilled(callback: () => void, flow: SpeedFlow): () => void {
    // Wrapped, because the same callback may wait again.
    const waiting = () => callback();
    this.#refuse(flow);
    this.#waiting.set(waiting, flow);
    return () => this.#waiting.delete(waiting);
  }

  /** The flow has ended. */
  leave(flow: SpeedFlow): void {
    this.#tokens += this.#accounts.get(flow)?.bytes ?? 0;
    this.#accounts.delete(flow);
    this.#fresh.delete(flow);
  }

  /** The limit is gone: no flow waits for it any more. */
  release(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#accounts.clear();
    const waiting = [...this.#waiting.keys()];
    this.#waiting.clear();
    for (const callback of waiting) callback();
  }

  get #burstBytes(): number {
    return Math.max(BURST_BYTES_MIN, this.#bytesPerSecond * BURST_SECONDS);
  }

  get #aheadBytes(): number {
    return Math.max(AHEAD_BYTES_MIN, this.#bytesPerSecond * AHEAD_SECONDS);
  }

  #refill(): void {
    const now = this.now();
    const refill = ((now - this.#filledAt) / 1000) * this.#bytesPerSecond;
    this.#tokens = Math.min(this.#burstBytes, this.#tokens + refill);
    this.#filledAt = now;
  }

  /** Undefined while no other flow lacks anything: then all tokens are for this one. */
  #accountFor(flow: SpeedFlow): Account | undefined {
    const own = this.#accounts.get(flow);
    if (own) own.askedAt = this.#filledAt;
    if (this.#accounts.size > (own ? 1 : 0)) return own ?? this.#open(flow);
    if (!own) return undefined;
    this.#tokens += own.bytes;
    own.bytes = 0;
    return undefined;
  }

  #open(flow: SpeedFlow): Account {
    const account = { bytes: 0, askedAt: this.#filledAt };
    this.#accounts.set(flow, account);
    this.#fresh.add(flow);
    return account;
  }

  #pay(account: Account | undefined, bytes: number): void {
    if (account) account.bytes -= bytes;
    else this.#tokens -= bytes;
  }

  #refuse(flow: SpeedFlow): void {
    this.#refusedAt = this.#filledAt;
    if (!this.#accounts.has(flow)) this.#open(flow);
    this.#timer ??= setTimeout(() => this.#serve(), REFILL_MS);
  }

  #serve(): void {
    this.#timer = undefined;
    this.#refill();
    const waitingFlows = new Set(this.#waiting.values());
    for (const flow of waitingFlows) this.#accountFor(flow);
    const isOver = waitingFlows.size === 0 && this.#filledAt - this.#refusedAt >= IDLE_MS;
    for (const [flow, { bytes, askedAt }] of this.#accounts)
      if (isOver || (bytes >= 0 && this.#filledAt - askedAt >= IDLE_MS)) this.leave(flow);
    this.#divide();
    // Without those that begin to wait meanwhile.
    const waiting = [...this.#waiting];
    for (const [callback, flow] of waiting)
      if ((this.#accounts.get(flow)?.bytes ?? 0) >= 1 && this.#waiting.delete(callback)) callback();
    if (this.#accounts.size > 0) this.#timer ??= setTimeout(() => this.#serve(), REFILL_MS);
  }

  #divide(): void {
    const shareBytes = Math.max(SHARE_BYTES_MIN, Math.floor(this.#tokens / Math.max(1, this.#accounts.size)));
    for (const flow of new Set([...this.#fresh, ...this.#accounts.keys()])) {
      if (this.#tokens < shareBytes) return;
      const account = this.#accounts.get(flow);
      if (!account || account.bytes >= SHARES_KEPT * shareBytes) continue;
      this.#tokens -= shareBytes;
      account.bytes += shareBytes;
      this.#fresh.delete(flow);
      // Whoever was served is the last.
      this.#accounts.delete(flow);
      this.#accounts.set(flow, account);
    }
  }
}
