import { type FailureCause, TunnelFailure } from '../statuses.ts';

interface Refusal {
  readonly cause: FailureCause;
  readonly until: number;
}

/** What the control plane has just refused, so that it is not asked again and again. */
export class Refusals {
  readonly #byKey = new Map<string, Refusal>();

  constructor(
    private readonly keptMs: number,
    private readonly sizeMax: number,
  ) {}

  /** @throws TunnelFailure for what was refused a moment ago */
  check(key: string): void {
    const refusal = this.#byKey.get(key);
    if (refusal && refusal.until > performance.now()) throw new TunnelFailure(refusal.cause);
  }

  keep(key: string, cause: FailureCause): void {
    if (this.#byKey.size >= this.sizeMax) this.#byKey.clear();
    this.#byKey.set(key, { cause, until: performance.now() + this.keptMs });
    setTimeout(() => this.#byKey.delete(key), this.keptMs).unref();
  }

  clear(): void {
    this.#byKey.clear();
  }
}
