import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Passwords are remembered as SHA-256 behind a key that lives as long as the process. They have at least 128 random bits,
 * so a slow hash would protect nothing and cost every new tunnel its time; HMAC takes twice as long, and what it adds, that
 * nobody extends a known digest, is of no use to anybody here.
 */
export class CredentialKey {
  readonly #key = randomBytes(32).toString('base64');
  /** Compared for unknown users, so that they cost the same. */
  readonly #nobody = randomBytes(32);

  digest(password: string): Buffer {
    return hash('sha256', this.#key + password, 'buffer');
  }

  isEqual(known: Buffer | undefined, given: Buffer): boolean {
    return timingSafeEqual(known ?? this.#nobody, given) && known !== undefined;
  }
}
