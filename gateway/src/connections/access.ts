import type { Access as AccessRevision } from '@cellhop/contract/gateway';
import { type Network, parseNetwork } from '@cellhop/contract/network';
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** How a client authenticated: with the password (as its keyed hash), or by an address on the allow-list. */
export type Credential =
  | { readonly kind: 'password'; readonly digest: Buffer }
  | { readonly kind: 'address'; readonly address: string };

/** Who may use a connection. Revisions only grow, so a repeated or late message changes nothing. */
export class Access {
  #revision = 0;
  #passwordRevision = 0;
  #digest: Buffer | undefined;
  #allowList: readonly Network[] = [];

  get revision(): number {
    return this.#revision;
  }

  /** Keyed hash of the password; undefined until the control plane accepts one, and after it has refused it. */
  get digest(): Buffer | undefined {
    return this.#digest;
  }

  /** @returns whether the revision is newer than the known one; then some flows may no longer be allowed */
  update(access: AccessRevision | undefined): boolean {
    if (!access || access.revision <= this.#revision) return false;
    this.#revision = access.revision;
    if (access.passwordRevision > this.#passwordRevision) {
      this.#passwordRevision = access.passwordRevision;
      this.#digest = undefined;
    }
    this.#allowList = access.allowList.flatMap((text) => parseNetwork(text) ?? []);
    return true;
  }

  /** The control plane has accepted this password; a newer revision may have replaced it since. */
  passwordAccepted(digest: Buffer, access: AccessRevision): void {
    if (access.passwordRevision >= this.#passwordRevision) this.#digest = digest;
  }

  passwordRefused(): void {
    this.#digest = undefined;
  }

  allows(credential: Credential): boolean {
    if (credential.kind === 'password') return this.#digest?.equals(credential.digest) === true;
    return this.#allowList.some((network) => network.contains(credential.address));
  }
}

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
