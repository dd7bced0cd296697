import { lookup, Resolver } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { canonicalAddress } from '@cellhop/contract/network';
import type { Logger } from 'pino';

export interface ReservedAddressesSettings {
  readonly controlUrl: string;
  readonly nameServers: readonly string[] | undefined;
  readonly log: Logger;
  /** The addresses of this host's interfaces. */
  readonly hostAddresses?: () => readonly string[];
  readonly addressesOf?: (host: string) => Promise<readonly string[]>;
}

const RESOLVER_TRY_MS = 2_000;
const DEFAULT_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 };

/**
 * Public addresses that customers must not reach although others may: those of this node, because a connection to them
 * never leaves the machine and passes by its firewall, and those of the control plane, which may trust this node. What
 * the control plane publishes for customers, host and port of PUBLIC_URL, stays open.
 */
export class ReservedAddresses {
  #own: ReadonlySet<string> = new Set();
  #controlPlane: ReadonlySet<string> = new Set();
  /** Address and port. */
  #published: ReadonlySet<string> = new Set();
  #isOwnUnknown = false;
  readonly #hostAddresses: () => readonly string[];
  readonly #addressesOf: (host: string) => Promise<readonly string[]>;

  constructor(private readonly settings: ReservedAddressesSettings) {
    this.#hostAddresses = settings.hostAddresses ?? hostAddresses;
    this.#addressesOf = settings.addressesOf ?? ((host) => findAddresses(host, settings.nameServers));
  }

  /** In canonical text. */
  get own(): ReadonlySet<string> {
    return this.#own;
  }

  isReserved(address: string, port: number): boolean {
    if (!this.#own.has(address) && !this.#controlPlane.has(address)) return false;
    return !this.#published.has(published(address, port));
  }

  /**
   * Never throws: when no descriptor is left, the system does not tell, and the addresses known before hold.
   * @returns the addresses of this host
   */
  refreshOwn(): ReadonlySet<string> {
    try {
      this.#own = new Set(this.#hostAddresses().flatMap((text) => canonicalAddress(text) ?? []));
      this.#isOwnUnknown = false;
    } catch (error) {
      if (!this.#isOwnUnknown) this.settings.log.warn({ err: error }, 'The addresses of this host cannot be read');
      this.#isOwnUnknown = true;
    }
    return this.#own;
  }

  /** Never rejects; names that have no address just now keep those that they had. */
  async refreshControlPlane(publicUrl: string | undefined): Promise<void> {
    const control = await this.#find(this.settings.controlUrl);
    if (control.addresses.length > 0) this.#controlPlane = new Set(control.addresses);
    if (publicUrl === undefined) return;
    const { addresses, port } = await this.#find(publicUrl);
    if (addresses.length > 0) this.#published = new Set(addresses.map((address) => published(address, port)));
  }

  async #find(text: string): Promise<{ addresses: string[]; port: number }> {
    if (!URL.canParse(text)) return { addresses: [], port: 0 };
    const url = new URL(text);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = Number(url.port) || (DEFAULT_PORTS[url.protocol] ?? 0);
    const literal = canonicalAddress(host);
    if (literal !== undefined) return { addresses: [literal], port };
    const found = await this.#addressesOf(host).catch(() => []);
    return { addresses: found.flatMap((address) => canonicalAddress(address) ?? []), port };
  }
}

const published = (address: string, port: number) => `${address} ${port}`;

function hostAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}

/**
 * As this machine finds the host, and as its customers do: a file of hosts often names this machine by a loopback
 * address.
 */
async function findAddresses(host: string, nameServers: readonly string[] | undefined): Promise<string[]> {
  const resolver = new Resolver({ timeout: RESOLVER_TRY_MS, tries: 1 });
  if (nameServers) resolver.setServers(nameServers);
  const answers = await Promise.allSettled([
    lookup(host, { all: true }).then((list) => list.map(({ address }) => address)),
    resolver.resolve4(host),
    resolver.resolve6(host),
  ]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}
