import { Resolver } from 'node:dns/promises';
import type { Limits } from '../limits.ts';
import { parseHost } from '../protocol/host.ts';
import { TunnelFailure } from '../statuses.ts';
import type { DialAbort } from './exit.ts';

interface ResolverSettings {
  readonly address: string | null;
  readonly nameServers: readonly string[] | undefined;
  readonly limits: Pick<Limits, 'resolverAttemptMs' | 'resolverAttempts'>;
}

/** How long to wait for the other address family after the first (Resolution Delay of RFC 8305, section 3). */
const RESOLUTION_DELAY_MS = 50;

/**
 * Resolves names through an exit: queries leave from its address. `getaddrinfo` is never used, because it would use the
 * host's default route and block one of libuv's four threads.
 */
export class NameResolver {
  #resolver: Resolver | undefined;
  readonly #queriesIpv4: boolean;
  readonly #queriesIpv6: boolean;

  constructor(private readonly settings: ResolverSettings) {
    const { address } = settings;
    this.#queriesIpv4 = address === null || !address.includes(':');
    this.#queriesIpv6 = address === null || address.includes(':');
  }

  /** @throws TunnelFailure */
  async resolve(name: string, abort: DialAbort): Promise<Uint8Array[]> {
    this.#resolver ??= this.#open();
    const ipv4 = this.#queriesIpv4 ? query(this.#resolver.resolve4(name)) : noQuery();
    const ipv6 = this.#queriesIpv6 ? query(this.#resolver.resolve6(name)) : noQuery();
    const first = await withAbort(ipv4, abort);
    const second = await withAbort(first.addresses.length > 0 ? withResolutionDelay(ipv6) : ipv6, abort);
    const addresses = [...first.addresses, ...second.addresses];
    if (addresses.length > 0) return addresses;
    throw new TunnelFailure(first.isTimeout || second.isTimeout ? 'dns-timeout' : 'name-not-found');
  }

  /** Cancels pending queries. */
  close(): void {
    this.#resolver?.cancel();
  }

  #open(): Resolver {
    const { address, nameServers, limits } = this.settings;
    const opened = new Resolver({ timeout: limits.resolverAttemptMs, tries: limits.resolverAttempts });
    if (nameServers) opened.setServers(nameServers);
    if (address !== null && this.#queriesIpv4) opened.setLocalAddress(address);
    if (address !== null && this.#queriesIpv6) opened.setLocalAddress('0.0.0.0', address);
    return opened;
  }
}

interface QueryResult {
  readonly addresses: Uint8Array[];
  readonly isTimeout: boolean;
}

async function query(pending: Promise<string[]>): Promise<QueryResult> {
  try {
    const texts = await pending;
    const hosts = texts.map(parseHost);
    return { addresses: hosts.flatMap((host) => (host?.kind === 'address' ? [host.bytes] : [])), isTimeout: false };
  } catch (error) {
    return { addresses: [], isTimeout: error instanceof Error && 'code' in error && error.code === 'ETIMEOUT' };
  }
}

const noQuery = (): Promise<QueryResult> => Promise.resolve({ addresses: [], isTimeout: false });

async function withResolutionDelay(result: Promise<QueryResult>): Promise<QueryResult> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<QueryResult>((fulfil) => {
    timer = setTimeout(() => fulfil({ addresses: [], isTimeout: false }), RESOLUTION_DELAY_MS);
  });
  return Promise.race([result, timeout]).finally(() => clearTimeout(timer));
}

async function withAbort(result: Promise<QueryResult>, abort: DialAbort): Promise<QueryResult> {
  let unsubscribe: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    unsubscribe = abort.whenAborted(() => reject(new TunnelFailure('dns-timeout')));
  });
  return Promise.race([result, aborted]).finally(() => unsubscribe?.());
}
