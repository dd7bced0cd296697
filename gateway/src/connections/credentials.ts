import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Passwords are remembered as HMAC-SHA-256 under a key that lives as long as the process. They have at least 128
 * random bits, so a slow hash would protect nothing and cost every new tunnel its time.
 */
export class CredentialKey {
  readonly #key = randomBytes(32);
  /** Compared for unknown users, so that they cost the same. */
  readonly #nobody = randomBytes(32);

  digest(password: string): Buffer {
    return createHmac('sha256', this.#key).update(password).digest();
  }

  isEqual(known: Buffer | undefined, given: Buffer): boolean {
    return timingSafeEqual(known ?? this.#nobody, given) && known !== undefined;
  }
}
