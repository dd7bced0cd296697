import { BoundedMap } from '../bounded-map.ts';
import { CredentialKey } from '../connections/access.ts';
import type { Limits } from '../limits.ts';
import type { Credentials } from '../protocol/socks5.ts';

type MemoryLimits = Pick<Limits, 'wrongCredentialsMs' | 'wrongCredentialsRemembered'>;

/**
 * Wrong pairs of username and password that clients of a network have sent in the last minute. Programs repeat a pair many times,
 * which is no guessing: a remembered pair is refused without a call to the control plane, and counts once as a failed login. A wrong
 * pair cannot become a right one, because the API generates both.
 */
export class WrongCredentials {
  readonly #key = new CredentialKey();
  /** When each is forgotten, by keyed hash, the oldest first. */
  readonly #forgottenAt: BoundedMap<string, number>;

  constructor(
    private readonly limits: MemoryLimits,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#forgottenAt = new BoundedMap(limits.wrongCredentialsRemembered);
  }

  get size(): number {
    return this.#forgottenAt.size;
  }

  has(network: string, credentials: Credentials): boolean {
    return this.#isRemembered(this.#hash(network, credentials));
  }

  /** Remembers a pair that the control plane has refused. @returns whether it was not remembered yet */
  add(network: string, credentials: Credentials): boolean {
    this.#forgetOld();
    const hash = this.#hash(network, credentials);
    if (this.#isRemembered(hash)) return false;
    this.#forgottenAt.set(hash, this.now() + this.limits.wrongCredentialsMs);
    return true;
  }

  #isRemembered(hash: string): boolean {
    return (this.#forgottenAt.get(hash) ?? Number.NEGATIVE_INFINITY) > this.now();
  }

  #forgetOld(): void {
    for (const [hash, forgottenAt] of this.#forgottenAt) {
      if (forgottenAt > this.now()) return;
      this.#forgottenAt.delete(hash);
    }
  }

  #hash(network: string, { username, password }: Credentials): string {
    return this.#key.digest(JSON.stringify([network, username, password])).toString('base64');
  }
}
