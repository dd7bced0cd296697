import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
/**
 * Passwords are kept as SHA-256 with a secret prefix that exists only in this process. They have at least 128 random bits,
 * so a slow hash would add no protection but delay every new tunnel. HMAC takes twice as long and only prevents length
 * extension, which needs a digest, and no digest leaves this process.
 */
export class CredentialKey {
  readonly #key = randomBytes(32).toString('base64');
  /** Compared for unknown users, so that the time does not reveal which users exist. */
  readonly #dummyDigest = randomBytes(32);

  digest(password: string): Buffer {
    return hash('sha256', this.#key + password, 'buffer');
  }

  isEqual(known: Buffer | undefined, given: Buffer): boolean {
    return timingSafeEqual(known ?? this.#dummyDigest, given) && known !== undefined;
  }
}
