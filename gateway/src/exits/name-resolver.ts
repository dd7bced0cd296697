import { Resolver } from 'node:dns/promises';
import type { Limits } from '../limits.ts';
import { parseHost } from '../protocol/host.ts';
import { TunnelFailure } from '../statuses.ts';
import type { DialAbort } from './dial-abort.ts';

interface ResolverSettings {
  readonly address: string | null;
  readonly nameServers: readonly string[] | undefined;
  readonly limits: Pick<Limits, 'resolverTryMs' | 'resolverTries'>;
}

/** How long a known IPv4 address waits for the answer about IPv6 (RFC 8305, section 3). */
const RESOLUTION_DELAY_MS = 50;

/**
 * Resolves names through an exit: its address is the source of the questions. `getaddrinfo` would leave by the host's own
 * route and block one of four threads, so it is never used.
 */
export class NameResolver {
  #resolver: Resolver | undefined;
  readonly #isIpv4Wanted: boolean;
  readonly #isIpv6Wanted: boolean;

  constructor(private readonly settings: ResolverSettings) {
    const { address } = settings;
    this.#isIpv4Wanted = address === null || !address.includes(':');
    this.#isIpv6Wanted = address === null || address.includes(':');
  }

  /** @throws TunnelFailure */
  async resolve(name: string, abort: DialAbort): Promise<Uint8Array[]> {
    this.#resolver ??= this.#open();
    const ipv4 = this.#isIpv4Wanted ? ask(this.#resolver.resolve4(name)) : nothing();
    const ipv6 = this.#isIpv6Wanted ? ask(this.#resolver.resolve6(name)) : nothing();
    const first = await orAborted(ipv4, abort);
    const second = await orAborted(first.addresses.length > 0 ? orSoon(ipv6) : ipv6, abort);
    const addresses = [...first.addresses, ...second.addresses];
    if (addresses.length > 0) return addresses;
    throw new TunnelFailure(first.isSilent || second.isSilent ? 'resolver-silent' : 'name-unknown');
  }

  /** Questions on their way get no answer. */
  close(): void {
    this.#resolver?.cancel();
  }

  #open(): Resolver {
    const { address, nameServers, limits } = this.settings;
    const opened = new Resolver({ timeout: limits.resolverTryMs, tries: limits.resolverTries });
    if (nameServers) opened.setServers(nameServers);
    if (address !== null && this.#isIpv4Wanted) opened.setLocalAddress(address);
    if (address !== null && this.#isIpv6Wanted) opened.setLocalAddress('0.0.0.0', address);
    return opened;
  }
}

interface Answer {
  readonly addresses: Uint8Array[];
  readonly isSilent: boolean;
}

async function ask(question: Promise<string[]>): Promise<Answer> {
  try {
    const texts = await question;
    const hosts = texts.map(parseHost);
    return { addresses: hosts.flatMap((host) => (host?.kind === 'address' ? [host.bytes] : [])), isSilent: false };
  } catch (error) {
    return { addresses: [], isSilent: error instanceof Error && 'code' in error && error.code === 'ETIMEOUT' };
  }
}

const nothing = (): Promise<Answer> => Promise.resolve({ addresses: [], isSilent: false });

async function orSoon(answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answer>((fulfil) => {
    timer = setTimeout(() => fulfil({ addresses: [], isSilent: false }), RESOLUTION_DELAY_MS);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

async function orAborted(answer: Promise<Answer>, abort: DialAbort): Promise<Answer> {
  let forget: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    forget = abort.whenAborted(() => reject(new TunnelFailure('resolver-silent')));
  });
  return Promise.race([answer, aborted]).finally(() => forget?.());
}
