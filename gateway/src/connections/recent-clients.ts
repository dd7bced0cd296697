import { BoundedMap } from '../bounded-map.ts';
import type { Limits } from '../limits.ts';
import type { Access, Credential } from './access.ts';

interface Client {
  readonly credential: Credential;
  readonly authenticatedAt: number;
}

/** Addresses of clients that have recently authenticated on a connection, with the credential: they may use its DNS port. */
export class RecentClients {
  readonly #byAddress: BoundedMap<string, Client>;

  constructor(
    private readonly access: Pick<Access, 'allows'>,
    private readonly limits: Pick<Limits, 'dnsClientMs' | 'dnsClientsPerConnection'>,
  ) {
    this.#byAddress = new BoundedMap(limits.dnsClientsPerConnection);
  }

  authenticated(address: string, credential: Credential): void {
    this.#byAddress.set(address, { credential, authenticatedAt: performance.now() });
  }

  /** Whether the address has authenticated within `dnsClientMs`, with a credential that is still valid. */
  has(address: string): boolean {
    const client = this.#byAddress.get(address);
    if (!client) return false;
    const isRecent = performance.now() - client.authenticatedAt < this.limits.dnsClientMs;
    if (isRecent && this.access.allows(client.credential)) return true;
    this.#byAddress.delete(address);
    return false;
  }
}

/** The control plane stores an address for 30 days, so each is sent again after a day. */
const RESEND_AFTER_MS = 24 * 60 * 60 * 1000;
/** Per connection. An address that is evicted is sent again at its next use. */
const ADDRESSES_MAX = 100;

/** Client addresses that used the password of a connection and that the control plane has stored recently. */
export class RecentAddresses {
  readonly #sentAt = new BoundedMap<string, number>(ADDRESSES_MAX);

  has(address: string): boolean {
    return performance.now() - (this.#sentAt.get(address) ?? Number.NEGATIVE_INFINITY) < RESEND_AFTER_MS;
  }

  add(address: string): void {
    this.#sentAt.set(address, performance.now());
  }
}
