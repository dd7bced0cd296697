import type { Access as AccessAnswer } from '@cellhop/contract/gateway';
import { type Network, parseNetwork } from '@cellhop/contract/network';

/** What a client has shown to use a connection: its password (as its HMAC), or an address on its allow-list. */
export type Credential =
  | { readonly kind: 'password'; readonly digest: Buffer }
  | { readonly kind: 'address'; readonly address: string };

/** A connection's first password. It cannot have been changed under a control plane that tells no revisions. */
const FIRST_PASSWORD_REVISION = 1;

/** Who may use a connection, as far as this run knows. Revisions only grow, so a repeated or late answer changes nothing. */
export class Access {
  #revision = 0;
  #passwordRevision = FIRST_PASSWORD_REVISION;
  #digest: Buffer | undefined;
  #allowList: readonly Network[] = [];

  get revision(): number {
    return this.#revision;
  }

  /** HMAC of the password; undefined while none is known that the control plane takes. */
  get digest(): Buffer | undefined {
    return this.#digest;
  }

  /** @returns whether this is news; flows may not be allowed any longer then */
  update(answer: AccessAnswer | undefined): boolean {
    if (!answer || answer.revision <= this.#revision) return false;
    this.#revision = answer.revision;
    if (answer.passwordRevision > this.#passwordRevision) {
      this.#passwordRevision = answer.passwordRevision;
      this.#digest = undefined;
    }
    this.#allowList = answer.allowList.flatMap((text) => parseNetwork(text) ?? []);
    return true;
  }

  /** The control plane has taken this password; it may have been changed since. */
  passwordTaken(digest: Buffer, answer: AccessAnswer | undefined): void {
    if (answer === undefined || answer.passwordRevision >= this.#passwordRevision) this.#digest = digest;
  }

  /** The control plane takes it no longer. */
  passwordRefused(): void {
    this.#digest = undefined;
  }

  allows(credential: Credential): boolean {
    if (credential.kind === 'password') return this.#digest?.equals(credential.digest) === true;
    return this.#allowList.some((network) => network.contains(credential.address));
  }
}
