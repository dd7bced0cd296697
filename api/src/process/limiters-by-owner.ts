/** A concurrency limiter for each owner who has work in progress. */
import {
  limitConcurrency,
  type ConcurrencyLimiter,
  type ConcurrencyLimits,
  type ConcurrencyUsage,
  type Source,
} from './concurrency-limiter.ts';

interface OwnersLimiter {
  limiter: ConcurrencyLimiter;
  /** Running and waiting. */
  count: number;
}

export class LimitersByOwner {
  readonly #owners = new Map<string, OwnersLimiter>();
  /** Refusals by limiters of owners who are idle again. */
  #refusedEarlier = 0;

  /** @param limits of each owner */
  constructor(private readonly limits: ConcurrencyLimits) {}

  /**
   * @param source sources of an owner are served round-robin
   * @throws AppError RATE_LIMITED when too much work of this source waits, UNAVAILABLE when too much of the owner waits in total
   */
  async run<T>(owner: string, work: () => Promise<T>, source?: Source): Promise<T> {
    const { limiter } = this.#begin(owner);
    try {
      return await limiter.run(work, source);
    } finally {
      this.#end(owner);
    }
  }

  /** For the metrics: the sums over all owners. */
  usage(): ConcurrencyUsage {
    const sum = { running: 0, waiting: 0, refused: this.#refusedEarlier };
    for (const { limiter } of this.#owners.values()) {
      const { running, waiting, refused } = limiter.usage();
      sum.running += running;
      sum.waiting += waiting;
      sum.refused += refused;
    }
    return sum;
  }

  #begin(owner: string): OwnersLimiter {
    const begun = this.#owners.get(owner) ?? { limiter: limitConcurrency(this.limits), count: 0 };
    begun.count += 1;
    this.#owners.set(owner, begun);
    return begun;
  }

  #end(owner: string): void {
    const ended = this.#owners.get(owner)!;
    ended.count -= 1;
    if (ended.count > 0) return;
    this.#owners.delete(owner);
    this.#refusedEarlier += ended.limiter.usage().refused;
  }
}
