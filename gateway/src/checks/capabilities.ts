import type { ExitCapabilities } from '@cellhop/contract/exit-checks';
import { randomBytes } from 'node:crypto';
import type { DestinationGuard } from '../exits/destination-guard.ts';
import type { Dial } from '../exits/dial.ts';
import { DialAbort, type Exit, type ExitPort } from '../exits/exit.ts';
import { addressQuery, isRefusal } from '../protocol/dns.ts';
import { TYPE_A } from '../protocol/dns-records.ts';
import { addressText, type Target } from '../protocol/host.ts';
import type { Limits } from '../limits.ts';
import { TunnelFailure } from '../statuses.ts';
import { createRoute, type Route } from '../udp/destinations.ts';
import { accepts } from './request-through.ts';

interface CapabilitySettings {
  /** Its guard permits what customers may reach. */
  readonly dialDestination: Dial;
  /** Of datagrams. */
  readonly guard: DestinationGuard;
  /** This host's own route: what fails there, too, says nothing about an exit. */
  readonly ownRoute: Exit;
  readonly checkDestinations: readonly Target[];
  /** Undefined: UDP is not tested. */
  readonly stunServer: Target | undefined;
  /** A name whose address is that of the name server that asks for it. */
  readonly whoamiName: string | undefined;
  readonly limits: Pick<Limits, 'capabilityMs' | 'stunRepeatMs'>;
}

/** A name that exists for ever (RFC 2606): which answer comes does not matter. */
const ASKED_NAME = 'example.com';
/** By the result names of customers' destinations are resolved, so one lost answer is not enough. */
const DNS_ATTEMPTS = 2;

/** Finds out what exits carry besides tunnels. */
export class Capabilities {
  readonly #running = new Set<DialAbort>();

  constructor(private readonly settings: CapabilitySettings) {}

  /** Never rejects, and ends within three times `capabilityMs`. */
  async find(exit: Exit): Promise<ExitCapabilities> {
    const [udp, ipv6, dns, resolver] = await Promise.all([
      this.#carriesUdp(exit),
      this.#reachesIpv6(exit),
      this.#compare(exit, (route) => hasName(route), DNS_ATTEMPTS),
      this.#findResolver(exit),
    ]);
    return {
      ...(udp !== undefined && { udp }),
      ...(ipv6 !== undefined && { ipv6 }),
      ...(dns !== undefined && { dns }),
      ...(resolver !== undefined && { resolver }),
    };
  }

  /** Ends all tests. */
  close(): void {
    for (const abort of this.#running) abort.abort();
  }

  async #carriesUdp(exit: Exit): Promise<boolean | undefined> {
    const { guard, limits, stunServer } = this.settings;
    if (!stunServer) return undefined;
    if (exit.udp === 'none') return false;
    return this.#compare(exit, async (route, abort) => {
      const [address] = await guard.addressesFor(route, stunServer, abort);
      const port = await route.openUdp(address!.length === 4 ? 4 : 6, abort);
      const answer = askStun(port, createRoute(port, address!, stunServer.port), limits.stunRepeatMs, abort);
      return answer.finally(() => port.close());
    });
  }

  async #reachesIpv6(exit: Exit): Promise<boolean | undefined> {
    const { checkDestinations, dialDestination, limits, ownRoute } = this.settings;
    if (!exit.reaches(new Uint8Array(16))) return false;
    const found = await Promise.all(
      checkDestinations.map(async ({ host, port }): Promise<Target[]> => {
        const addresses =
          host.kind === 'address'
            ? [host.bytes]
            : await this.#limited(async (abort) => ownRoute.resolve(host.name, abort)).catch(() => []);
        const address = addresses.find(({ length }) => length === 16);
        return address ? [{ host: { kind: 'address', bytes: address }, port }] : [];
      }),
    );
    const targets = found.flat();
    if (targets.length === 0) return undefined;
    const settings = { dial: dialDestination, running: this.#running };
    const reached = await Promise.all(targets.map((target) => accepts(settings, exit, target, limits.capabilityMs)));
    return reached.some(Boolean);
  }

  async #findResolver(exit: Exit): Promise<string | undefined> {
    const { whoamiName } = this.settings;
    if (whoamiName === undefined) return undefined;
    const [address] = await this.#limited(async (abort) => exit.resolve(whoamiName, abort)).catch(() => []);
    return address && addressText(address);
  }

  /** @returns undefined if it fails by this host's own route, too */
  async #compare(
    exit: Exit,
    test: (route: Exit, abort: DialAbort) => Promise<boolean>,
    attempts = 1,
  ): Promise<boolean | undefined> {
    const works = (route: Exit) => this.#limited((abort) => test(route, abort)).catch(() => false);
    for (let attempt = 0; attempt < attempts; attempt += 1) if (await works(exit)) return true;
    return (await works(this.settings.ownRoute)) ? false : undefined;
  }

  async #limited<Result>(run: (abort: DialAbort) => Promise<Result>): Promise<Result> {
    const abort = new DialAbort();
    this.#running.add(abort);
    const timer = setTimeout(() => abort.abort(), this.settings.limits.capabilityMs);
    const aborted = new Promise<never>((_, reject) => {
      abort.whenAborted(() => reject(new TunnelFailure('dial-timeout')));
    });
    try {
      return await Promise.race([run(abort), aborted]);
    } finally {
      clearTimeout(timer);
      this.#running.delete(abort);
    }
  }
}

async function hasName(route: Exit): Promise<boolean> {
  const { message } = await route.ask(addressQuery(ASKED_NAME, TYPE_A), { needsWhole: true });
  return !isRefusal(message);
}

/** Binding request and its answer (RFC 8489, section 5), in hex. */
const STUN_REQUEST = '000100002112a442';
const STUN_ANSWER = /^0101.{4}2112a442/;
const STUN_ID_AT = 8;
const STUN_ID_LENGTH = 12;

/** Whether a datagram comes back. It is repeated, because one may be lost. */
function askStun(port: ExitPort, target: Route, repeatMs: number, abort: DialAbort): Promise<boolean> {
  const id = randomBytes(STUN_ID_LENGTH);
  const request = Buffer.concat([Buffer.from(STUN_REQUEST, 'hex'), id]);
  return new Promise((fulfil) => {
    const timer = setInterval(() => port.send(request, target), repeatMs);
    const settle = (isAnswered: boolean) => {
      clearInterval(timer);
      fulfil(isAnswered);
    };
    abort.whenAborted(() => settle(false));
    port.open({
      received: (payload) => {
        const isOurs = payload.subarray(STUN_ID_AT, STUN_ID_AT + STUN_ID_LENGTH).equals(id);
        if (isOurs && STUN_ANSWER.test(payload.toString('hex', 0, STUN_ID_AT))) settle(true);
      },
      failed: () => settle(false),
      dropped: () => {},
      ended: () => settle(false),
    });
    port.send(request, target);
  });
}
