import { BoundedMap } from '../bounded-map.ts';
import type { Limits } from '../limits.ts';
import { addressQuery } from '../protocol/dns.ts';
import { type AnsweredAddresses, answeredAddresses, TYPE_A, TYPE_AAAA } from '../protocol/dns-records.ts';
import type { LookupOutcome } from '../metrics.ts';
import { toCause, type FailureCause, TunnelFailure } from '../statuses.ts';
import type { DnsUpstream } from './dns-upstream.ts';
import type { DialAbort, Resolved } from './exit.ts';

/** How long to wait for the other address family after the first (Resolution Delay of RFC 8305, section 3). */
const RESOLUTION_DELAY_MS = 50;

interface QueryResult extends AnsweredAddresses {
  /** Undefined if a name server has answered. */
  readonly failure: FailureCause | undefined;
}

const NOTHING = { addresses: [], failure: undefined };
const NOT_ASKED: QueryResult = { ...NOTHING, ttlSeconds: Number.POSITIVE_INFINITY, isAnswered: true };
const NOT_ANSWERED: QueryResult = { ...NOTHING, ttlSeconds: 0, isAnswered: false };

/** The addresses of a name, or why there are none. */
type Outcome = Uint8Array[] | FailureCause;

interface KeptName {
  readonly resolved: Outcome;
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
  /** Names that are being asked for. Each ends, as questions do. */
  readonly #running = new Map<string, Promise<Outcome>>();

  /** @param address the exit's address. Null: the host's default route, or another proxy */
  constructor(
    private readonly upstream: Pick<DnsUpstream, 'ask'>,
    address: string | null,
    private readonly limits: Pick<Limits, 'namesKeptPerExit' | 'nameKeptMs' | 'missingNameKeptMs' | 'addressesPerName'>,
    private readonly onLookup: (outcome: LookupOutcome) => void = () => {},
  ) {
    this.#kept = new BoundedMap(limits.namesKeptPerExit);
    this.#queriesIpv4 = address === null || !address.includes(':');
    this.#queriesIpv6 = address === null || address.includes(':');
  }

  /** @throws TunnelFailure */
  async resolve(name: string, abort: DialAbort): Promise<Uint8Array[]> {
    return this.find(name, abort);
  }

  /** The same without a promise, if the name is kept. */
  find(name: string, abort: DialAbort): Resolved {
    const kept = this.#kept.get(name);
    const isKept = kept !== undefined && performance.now() < kept.until;
    if (!isKept) return withAbort(this.#ask(name), abort).then(toAddresses);
    this.onLookup('kept');
    return toAddresses(kept.resolved);
  }

  /** One question for all who wait for the name; who leaves does not end it for the others. Never rejects. */
  #ask(name: string): Promise<Outcome> {
    const running = this.#running.get(name);
    if (running) {
      this.onLookup('shared');
      return running;
    }
    const asked = this.#askFamilies(name).then((resolved) => {
      this.#running.delete(name);
      const isMissing = resolved === 'name-not-found';
      this.onLookup(typeof resolved !== 'string' ? 'found' : isMissing ? 'missing' : 'failed');
      return resolved;
    });
    this.#running.set(name, asked);
    return asked;
  }

  async #askFamilies(name: string): Promise<Outcome> {
    const ipv4 = this.#queriesIpv4 ? this.#query(name, TYPE_A) : NOT_ASKED;
    const ipv6 = this.#queriesIpv6 ? this.#query(name, TYPE_AAAA) : NOT_ASKED;
    const first = await ipv4;
    // Late addresses serve those who ask next.
    const keepLate = (late: QueryResult) => this.#keep(name, first, late);
    const second = await (first.addresses.length > 0 ? withResolutionDelay(ipv6, keepLate) : ipv6);
    return this.#keep(name, first, second);
  }

  /** Failures are not kept, and neither is a name of which one family has not been answered. */
  #keep(name: string, first: QueryResult, second: QueryResult): Outcome {
    const addresses = [...first.addresses, ...second.addresses];
    const isMissing = addresses.length === 0;
    const resolved = isMissing ? (first.failure ?? second.failure ?? 'name-not-found') : addresses;
    const missingMs = first.isAnswered && second.isAnswered ? this.limits.missingNameKeptMs : 0;
    const foundMs = Math.min(first.ttlSeconds, second.ttlSeconds) * 1000;
    const keptMs = Math.min(isMissing ? missingMs : foundMs, this.limits.nameKeptMs);
    if (keptMs > 0) this.#kept.set(name, { resolved, until: performance.now() + keptMs });
    return resolved;
  }

  /** Never rejects. */
  async #query(name: string, type: number): Promise<QueryResult> {
    try {
      const answer = await this.upstream.ask(addressQuery(name, type), { needsWhole: true });
      const answered = answeredAddresses(answer, type);
      const addresses = answered.addresses.slice(0, this.limits.addressesPerName);
      return { ...answered, addresses, failure: undefined };
    } catch (error) {
      return { ...NOT_ANSWERED, failure: toCause(error) };
    }
  }
}

/** @throws TunnelFailure */
function toAddresses(outcome: Outcome): Uint8Array[] {
  if (typeof outcome === 'string') throw new TunnelFailure(outcome);
  return outcome;
}

async function withResolutionDelay(
  result: Promise<QueryResult> | QueryResult,
  onLate: (late: QueryResult) => void,
): Promise<QueryResult> {
  if (!(result instanceof Promise)) return result;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<QueryResult>((fulfil, reject) => {
    timer = setTimeout(() => {
      fulfil(NOT_ANSWERED);
      result.then(onLate, reject);
    }, RESOLUTION_DELAY_MS);
  });
  return Promise.race([result, timeout]).finally(() => clearTimeout(timer));
}

async function withAbort(resolved: Promise<Outcome>, abort: DialAbort): Promise<Outcome> {
  let unsubscribe: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    unsubscribe = abort.whenAborted(() => reject(new TunnelFailure('dns-timeout')));
  });
  return Promise.race([resolved, aborted]).finally(() => unsubscribe?.());
}
