import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { canonicalAddress } from '@cellhop/contract/network';
import type { Logger } from 'pino';
import { isLoopbackOrUnspecified } from '../destination-policy.ts';
import { addressText } from '../protocol/host.ts';
import { DialAbort } from './exit.ts';
import type { NameResolver } from './name-resolver.ts';

export interface ReservedAddressesSettings {
  readonly controlUrl: string;
  /** Resolves names by the host's default route. */
  readonly names: Pick<NameResolver, 'resolve'>;
  readonly log: Logger;
  /** The addresses of this host's interfaces. */
  readonly hostAddresses?: () => readonly string[];
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

const DEFAULT_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 };

/**
 * Public addresses that are blocked for customers: those of this node, because a connection to them never leaves the
 * host and bypasses its firewall, and those of the control plane, which may trust this node's address. The published host
 * and port of the control plane (PUBLIC_URL) stay reachable.
 */
export class ReservedAddresses {
  #own: ReadonlySet<string> = new Set();
  #controlPlane: ReadonlySet<string> = new Set();
  /** Pairs of address and port. */
  #published: ReadonlySet<string> = new Set();
  /** The echoes: their pairs of address and port, and the URLs of those on this host. */
  #echoes: ReadonlySet<string> = new Set();
  #ownEchoes: ReadonlySet<string> = new Set();
  /** The first address of each echo's host. */
  #echoAddresses: ReadonlyMap<string, string> = new Map();
  /** Pairs of machine and port that no upstream proxy may have, by the URL that names them. */
  #refusedUpstreams: ReadonlyMap<string, readonly string[]> = new Map();
  #hasReadFailed = false;
  #revision = 0;
  readonly #hostAddresses: () => readonly string[];
  readonly #resolve: (host: string) => Promise<readonly string[]>;

  constructor(private readonly settings: ReservedAddressesSettings) {
    this.#hostAddresses = settings.hostAddresses ?? hostAddresses;
    this.#resolve = settings.resolve ?? ((host) => findAddresses(host, settings.names));
  }

  /** The addresses of this host in canonical text. */
  get own(): ReadonlySet<string> {
    return this.#own;
  }

  /** Changes whenever addresses were read. */
  get revision(): number {
    return this.#revision;
  }

  isReserved(address: string, port: number): boolean {
    if (!this.#own.has(address) && !this.#controlPlane.has(address)) return false;
    return !this.#published.has(published(address, port));
  }

  /** Whether checks of exits send their requests there. For customers this permits nothing. */
  isEcho(address: string, port: number): boolean {
    return this.#echoes.has(published(address, port));
  }

  /** Whether this is the control plane, the shop's public address or its database. */
  isRefusedUpstream(address: string, port: number): boolean {
    const asked = this.#machine(address, port);
    return [...this.#refusedUpstreams.values()].some((machines) => machines.includes(asked));
  }

  /** As this system resolves the host of an echo. */
  echoAddress(host: string): string | undefined {
    return this.#echoAddresses.get(host);
  }

  /** Whether the echo with this URL is on this host: a request to it may never leave the host, regardless of the exit. */
  isOwnEcho(url: string): boolean {
    return this.#ownEchoes.has(url);
  }

  /**
   * Never throws: if they cannot be read, for example because no descriptor is left, the previous addresses remain.
   * @returns the addresses of this host
   */
  refreshOwn(): ReadonlySet<string> {
    this.#revision += 1;
    try {
      this.#own = new Set(this.#hostAddresses().flatMap((text) => canonicalAddress(text) ?? []));
      this.#hasReadFailed = false;
    } catch (error) {
      if (!this.#hasReadFailed) this.settings.log.warn({ err: error }, 'The addresses of this host cannot be read');
      this.#hasReadFailed = true;
    }
    return this.#own;
  }

  /** Never rejects. A name that cannot be resolved keeps its previous addresses. */
  async refreshControlPlane(
    publicUrl: string | undefined,
    echoUrls: readonly string[] = [],
    refusedUpstreams: readonly string[] = [],
  ): Promise<void> {
    await this.#refreshEchoes(echoUrls);
    const control = await this.#find(this.settings.controlUrl);
    this.#revision += 1;
    if (control.addresses.length > 0) this.#controlPlane = new Set(control.addresses);
    const isShopHere = control.addresses.some((address) => this.#isOwn(address));
    await this.#refreshRefusedUpstreams([this.settings.controlUrl, publicUrl ?? '', ...refusedUpstreams], isShopHere);
    if (publicUrl === undefined) return;
    const { addresses, port } = await this.#find(publicUrl);
    this.#revision += 1;
    if (addresses.length > 0) this.#published = new Set(addresses.map((address) => published(address, port)));
  }

  async #refreshEchoes(urls: readonly string[]): Promise<void> {
    const echoes = new Set<string>();
    const ownEchoes = new Set<string>();
    const echoAddresses = new Map<string, string>();
    for (const url of urls) {
      const { addresses, port } = await this.#find(url);
      for (const address of addresses) echoes.add(published(address, port));
      if (addresses[0] !== undefined) echoAddresses.set(new URL(url).hostname, addresses[0]);
      if (addresses.some((address) => this.#own.has(address))) ownEchoes.add(url);
    }
    // As above: while a name cannot be resolved, what was known remains.
    if (echoes.size === 0 && urls.length > 0) return;
    this.#echoes = echoes;
    this.#ownEchoes = ownEchoes;
    this.#echoAddresses = echoAddresses;
  }

  /**
   * At once, because a name that only the control plane's network knows takes seconds to fail. Each keeps what was known, as above.
   * @param isShopHere whether the control plane is on this host: if not, the `localhost` of its settings is another machine
   */
  async #refreshRefusedUpstreams(urls: readonly string[], isShopHere: boolean): Promise<void> {
    const entries = urls.map(async (url) => {
      const { addresses, port } = await this.#find(url);
      const here = addresses.filter((address) => isShopHere || !isLoopbackOrUnspecified(address));
      const machines = here.map((address) => this.#machine(address, port));
      return [url, machines.length > 0 ? machines : (this.#refusedUpstreams.get(url) ?? [])] as const;
    });
    this.#refusedUpstreams = new Map(await Promise.all(entries));
  }

  /** All addresses of this host are one machine, which a server on one of them may serve. */
  #machine(address: string, port: number): string {
    return published(this.#isOwn(address) ? 'this host' : address, port);
  }

  #isOwn(address: string): boolean {
    return isLoopbackOrUnspecified(address) || this.#own.has(address);
  }

  async #find(text: string): Promise<{ addresses: string[]; port: number }> {
    if (!URL.canParse(text)) return { addresses: [], port: 0 };
    const url = new URL(text);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = Number(url.port) || (DEFAULT_PORTS[url.protocol] ?? 0);
    const literal = canonicalAddress(host);
    if (literal !== undefined) return { addresses: [literal], port };
    const found = await this.#resolve(host).catch(() => []);
    return { addresses: found.flatMap((address) => canonicalAddress(address) ?? []), port };
  }
}

const published = (address: string, port: number) => `${address} ${port}`;

function hostAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}

/**
 * Resolves the host both by the system (hosts file) and by DNS, as customers do: a hosts file often maps the name of this
 * machine to a loopback address.
 */
async function findAddresses(host: string, names: ReservedAddressesSettings['names']): Promise<string[]> {
  const results = await Promise.allSettled([
    lookup(host, { all: true }).then((list) => list.map(({ address }) => address)),
    names.resolve(host, new DialAbort()).then((list) => list.map(addressText)),
  ]);
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
}
