import type { Limits } from '../limits.ts';

interface Failures {
  count: number;
  /** End of the minute in which they are counted, or of the time for which the address is closed. */
  until: number;
}

type LoginLimits = Pick<Limits, 'loginFailuresPerMinute' | 'loginBlockMs' | 'loginAddresses'>;

/**
 * Slows down guessing. It counts per client network and never per user name, so that nobody can lock a customer out from
 * elsewhere. Behind the guesser's own address those are locked out whose credentials this run does not know.
 */
export class LoginGuard {
  readonly #failures = new Map<string, Failures>();

  constructor(
    private readonly limits: LoginLimits,
    private readonly now: () => number = () => performance.now(),
  ) {}

  isClosed(address: string): boolean {
    if (this.#isOff) return false;
    const failures = this.#current(address);
    return failures !== undefined && failures.count >= this.limits.loginFailuresPerMinute;
  }

  failed(address: string): void {
    if (this.#isOff) return;
    const failures = this.#current(address) ?? { count: 0, until: this.now() + 60_000 };
    failures.count += 1;
    if (failures.count === this.limits.loginFailuresPerMinute) failures.until = this.now() + this.limits.loginBlockMs;
    this.#failures.delete(address);
    this.#failures.set(address, failures);
    if (this.#failures.size > this.limits.loginAddresses) this.#forgetOldest();
  }

  /** The setting 0 says: no limit. Without this question it would say that no failure is too few. */
  get #isOff(): boolean {
    return this.limits.loginFailuresPerMinute === 0;
  }

  #current(address: string): Failures | undefined {
    const failures = this.#failures.get(address);
    if (failures === undefined || failures.until > this.now()) return failures;
    this.#failures.delete(address);
    return undefined;
  }

  #forgetOldest(): void {
    for (const address of this.#failures.keys()) {
      this.#failures.delete(address);
      return;
    }
  }
}
