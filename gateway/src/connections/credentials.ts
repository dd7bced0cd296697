import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Passwords are kept as HMAC-SHA-256 with a key that exists only in this process. They have at least 128 random bits, so a
 * slow hash would add no protection but delay every new tunnel.
 */
export class CredentialKey {
  readonly #key = randomBytes(32);
  /** Compared for unknown users, so that the time does not reveal which users exist. */
  readonly #dummyDigest = randomBytes(32);

  digest(password: string): Buffer {
    return createHmac('sha256', this.#key).update(password).digest();
  }

  isEqual(known: Buffer | undefined, given: Buffer): boolean {
    return timingSafeEqual(known ?? this.#dummyDigest, given) && known !== undefined;
  }
}
