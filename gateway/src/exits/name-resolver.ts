import { BoundedMap } from '../bounded-map.ts';
import type { Limits } from '../limits.ts';
import { addressQuery } from '../protocol/dns.ts';
import { type AnsweredAddresses, answeredAddresses, TYPE_A, TYPE_AAAA } from '../protocol/dns-records.ts';
import { toCause, type FailureCause, TunnelFailure } from '../statuses.ts';
import type { DnsUpstream } from './dns-upstream.ts';
import type { DialAbort } from './exit.ts';

/** How long to wait for the other address family after the first (Resolution Delay of RFC 8305, section 3). */
const RESOLUTION_DELAY_MS = 50;

interface QueryResult extends AnsweredAddresses {
  /** Undefined if a name server has answered. */
  readonly failure: FailureCause | undefined;
}

const NOT_ASKED: QueryResult = { addresses: [], ttlSeconds: Number.POSITIVE_INFINITY, failure: undefined };
const NOT_ANSWERED: QueryResult = { addresses: [], ttlSeconds: 0, failure: undefined };

interface KeptName {
  readonly addresses: Uint8Array[];
  readonly until: number;
}

/**
 * Resolves names by the name servers of an exit, and keeps their addresses as long as the records allow. `getaddrinfo` is never used,
 * because it would use the host's default route and block one of libuv's four threads.
 */
export class NameResolver {
  readonly #queriesIpv4: boolean;
  readonly #queriesIpv6: boolean;
  readonly #kept: BoundedMap<string, KeptName>;

  /** @param address the exit's address. Null: the host's default route */
  constructor(
    private readonly upstream: Pick<DnsUpstream, 'ask'>,
    address: string | null,
    private readonly limits: Pick<Limits, 'namesKeptPerExit' | 'nameKeptMs'>,
  ) {
    this.#kept = new BoundedMap(limits.namesKeptPerExit);
    this.#queriesIpv4 = address === null || !address.includes(':');
    this.#queriesIpv6 = address === null || address.includes(':');
  }

  /** @throws TunnelFailure */
  async resolve(name: string, abort: DialAbort): Promise<Uint8Array[]> {
    const kept = this.#kept.get(name);
    if (kept && performance.now() < kept.until) return kept.addresses;
    const ipv4 = this.#queriesIpv4 ? this.#query(name, TYPE_A) : NOT_ASKED;
    const ipv6 = this.#queriesIpv6 ? this.#query(name, TYPE_AAAA) : NOT_ASKED;
    const first = await withAbort(ipv4, abort);
    const second = await withAbort(first.addresses.length > 0 ? withResolutionDelay(ipv6) : ipv6, abort);
    const addresses = [...first.addresses, ...second.addresses];
    if (addresses.length > 0) {
      this.#keep(name, addresses, Math.min(first.ttlSeconds, second.ttlSeconds));
      return addresses;
    }
    throw new TunnelFailure(first.failure ?? second.failure ?? 'name-not-found');
  }

  /** Failures are not kept, and neither is a name of which one family has not been answered. */
  #keep(name: string, addresses: Uint8Array[], ttlSeconds: number): void {
    const keptMs = Math.min(ttlSeconds * 1000, this.limits.nameKeptMs);
    if (keptMs > 0) this.#kept.set(name, { addresses, until: performance.now() + keptMs });
    else this.#kept.delete(name);
  }

  /** Never rejects. */
  async #query(name: string, type: number): Promise<QueryResult> {
    try {
      const answer = await this.upstream.ask(addressQuery(name, type), { needsWhole: true });
      return { ...answeredAddresses(answer, type), failure: undefined };
    } catch (error) {
      return { ...NOT_ANSWERED, failure: toCause(error) };
    }
  }
}

async function withResolutionDelay(result: Promise<QueryResult> | QueryResult): Promise<QueryResult> {
  if (!(result instanceof Promise)) return result;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<QueryResult>((fulfil) => {
    timer = setTimeout(() => fulfil(NOT_ANSWERED), RESOLUTION_DELAY_MS);
  });
  return Promise.race([result, timeout]).finally(() => clearTimeout(timer));
}

async function withAbort(result: Promise<QueryResult> | QueryResult, abort: DialAbort): Promise<QueryResult> {
  if (!(result instanceof Promise)) return result;
  let unsubscribe: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    unsubscribe = abort.whenAborted(() => reject(new TunnelFailure('dns-timeout')));
  });
  return Promise.race([result, aborted]).finally(() => unsubscribe?.());
}
