import type { Limits } from '../limits.ts';
import type { Access, Credential } from './access.ts';

interface Client {
  readonly credential: Credential;
  readonly authenticatedAt: number;
}

/** Addresses of clients that have recently authenticated on a connection, with the credential: they may use its DNS port. */
export class RecentClients {
  readonly #byAddress = new Map<string, Client>();

  constructor(
    private readonly access: Pick<Access, 'allows'>,
    private readonly limits: Pick<Limits, 'dnsClientMs' | 'dnsClientsPerConnection'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  authenticated(address: string, credential: Credential): void {
    this.#byAddress.delete(address);
    this.#byAddress.set(address, { credential, authenticatedAt: this.now() });
    const [oldest] = this.#byAddress.keys();
    if (oldest !== undefined && this.#byAddress.size > this.limits.dnsClientsPerConnection)
      this.#byAddress.delete(oldest);
  }

  /** Whether the address has authenticated within `dnsClientMs`, with a credential that is still valid. */
  has(address: string): boolean {
    const client = this.#byAddress.get(address);
    if (!client) return false;
    const isRecent = this.now() - client.authenticatedAt < this.limits.dnsClientMs;
    if (isRecent && this.access.allows(client.credential)) return true;
    this.#byAddress.delete(address);
    return false;
  }
}
