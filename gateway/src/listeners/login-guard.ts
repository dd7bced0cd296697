import { networkLimits, type Limited } from '@cellhop/contract/network';
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

  /** @param networks of the client, the widest first */
  isBlocked(networks: readonly string[]): boolean {
    return this.#limited(networks).some(({ name, limit }) => (this.#current(name)?.count ?? 0) >= limit);
  }

  recordFailure(networks: readonly string[]): void {
    for (const { name, limit } of this.#limited(networks)) {
      const failures = this.#current(name) ?? { count: 0, until: this.now() + 60_000 };
      failures.count += 1;
      if (failures.count === limit) failures.until = this.now() + this.limits.loginBlockMs;
      this.#failures.set(name, failures);
    }
  }

  /** 0 means no limit; without this check it would block every network. */
  #limited(networks: readonly string[]): readonly Limited[] {
    const { loginFailuresPerMinute } = this.limits;
    return loginFailuresPerMinute === 0 ? [] : networkLimits(networks, loginFailuresPerMinute);
  }

  #current(network: string): Failures | undefined {
    const failures = this.#failures.get(network);
    if (failures === undefined || failures.until > this.now()) return failures;
    this.#failures.delete(network);
    return undefined;
  }
}
