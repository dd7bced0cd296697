import { type FailureCause, TunnelFailure } from '../statuses.ts';

interface Refusal {
  readonly cause: FailureCause;
  readonly until: number;
}

/** Recent refusals of the control plane, so that repeated logins cost no further calls. */
export class RefusalCache {
  readonly #byKey = new Map<string, Refusal>();

  constructor(
    private readonly cacheMs: number,
    private readonly sizeMax: number,
  ) {}

  /** @throws TunnelFailure with the cached cause of refusal */
  check(key: string): void {
    const refusal = this.#byKey.get(key);
    if (refusal && refusal.until > performance.now()) throw new TunnelFailure(refusal.cause);
  }

  add(key: string, cause: FailureCause): void {
    if (this.#byKey.size >= this.sizeMax) this.#byKey.clear();
    this.#byKey.set(key, { cause, until: performance.now() + this.cacheMs });
    setTimeout(() => this.#byKey.delete(key), this.cacheMs).unref();
  }

  clear(): void {
    this.#byKey.clear();
  }
}
