/** Allows a steady rate and a burst. */
export class TokenBucket {
  #tokens: number;
  #filledAt: number;

  constructor(
    private readonly perSecond: number,
    private readonly burst: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#tokens = burst;
    this.#filledAt = now();
  }

  /** @param now the time, if the caller knows it: reading the clock costs more than the rest */
  take(now = this.now()): boolean {
    return this.takeMany(1, now);
  }

  /** All of them or none. */
  takeMany(tokens: number, now = this.now()): boolean {
    this.#tokens = Math.min(this.burst, this.#tokens + ((now - this.#filledAt) / 1000) * this.perSecond);
    this.#filledAt = now;
    if (this.#tokens < tokens) return false;
    this.#tokens -= tokens;
    return true;
  }
}
