import { BoundedMap } from '../bounded-map.ts';
import type { Limits } from '../limits.ts';

interface Failures {
  count: number;
  /** End of the minute in which failures are counted, or of the block. */
  until: number;
}

type LoginLimits = Pick<Limits, 'loginFailuresPerMinute' | 'loginBlockMs' | 'loginAddresses'>;

/**
 * Limits password guessing. It counts failures per client network and never per username, so that nobody can lock out a
 * customer from another network. From a blocked network, only credentials that are known in this run work.
 */
export class LoginGuard {
  readonly #failures: BoundedMap<string, Failures>;

  constructor(
    private readonly limits: LoginLimits,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#failures = new BoundedMap(limits.loginAddresses);
  }

  isBlocked(address: string): boolean {
    if (this.#isDisabled) return false;
    const failures = this.#current(address);
    return failures !== undefined && failures.count >= this.limits.loginFailuresPerMinute;
  }

  recordFailure(address: string): void {
    if (this.#isDisabled) return;
    const failures = this.#current(address) ?? { count: 0, until: this.now() + 60_000 };
    failures.count += 1;
    if (failures.count === this.limits.loginFailuresPerMinute) failures.until = this.now() + this.limits.loginBlockMs;
    this.#failures.set(address, failures);
  }

  /** 0 means no limit; without this check it would block every address. */
  get #isDisabled(): boolean {
    return this.limits.loginFailuresPerMinute === 0;
  }

  #current(address: string): Failures | undefined {
    const failures = this.#failures.get(address);
    if (failures === undefined || failures.until > this.now()) return failures;
    this.#failures.delete(address);
    return undefined;
  }
}
