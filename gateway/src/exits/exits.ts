import type { Exit as ExitDescription } from '@cellhop/contract/exits';
import { canonicalAddress, type PortRange } from '@cellhop/contract/network';
import type { Logger } from 'pino';
import {
  type DestinationPolicy,
  isDestinationAllowed,
  isLoopbackOrUnspecified,
  isPublicAddress,
  isUpstreamAllowed,
  ownListeners,
  unmapped,
} from '../destination-policy.ts';
import type { DnsPorts } from '../dns/dns-ports.ts';
import type { Limits } from '../limits.ts';
import type { LookupOutcome, Metrics } from '../metrics.ts';
import { addressText, parseHost } from '../protocol/host.ts';
import { isSpecialName } from '../protocol/special-names.ts';
import { ClientPorts } from '../udp/client-ports.ts';
import type { Relay } from '../pipe/pipe.ts';
import { createGuard, type DestinationGuard } from './destination-guard.ts';
import { createDial, type Dial } from './dial.ts';
import { DialOutcomes } from './dial-outcomes.ts';
import { DnsUpstream } from './dns-upstream.ts';
import { DialAbort, type Exit } from './exit.ts';
import { dialAddress, LocalAddressExit, type LocalExitSettings } from './local-address.ts';
import { NameResolver } from './name-resolver.ts';
import type { UpstreamBudget } from './query-connections.ts';
import type { UpstreamEvent } from './query-socket.ts';
import type { RefusedDestinations } from './refused-destinations.ts';
import { ReservedAddresses } from './reserved-addresses.ts';
import { isWithin, SourcePorts } from './source-ports.ts';
import { UpstreamProxyExit } from './upstream-proxy.ts';

interface OpenExit {
  readonly exit: Exit;
  /** The fields that the control plane sent, as text, without where names are resolved. */
  readonly description: string;
}

/** The exits of this node. Each is opened once and shared by its connections. */
export class Exits {
  readonly #byId = new Map<string, OpenExit>();
  readonly #open = new Set<Exit>();

  constructor(private readonly openExit: (description: ExitDescription) => Exit) {}

  /**
   * Returns the exit with this id, and opens it if necessary. A changed exit is opened again; existing connections keep the
   * old one. Where its names are resolved changes in the open one.
   */
  get(exit: ExitDescription): Exit {
    const { id } = exit;
    const description = JSON.stringify({ ...exit, id: undefined, names: undefined });
    const known = this.#byId.get(id);
    if (known?.description === description) {
      // For connections that use it, too.
      if (exit.kind !== 'local-address') known.exit.resolvesNames = exit.names === 'exit';
      return known.exit;
    }
    const opened = this.openExit(exit);
    this.#byId.set(id, { exit: opened, description });
    this.#open.add(opened);
    return opened;
  }

  get open(): Iterable<Exit> {
    return this.#open;
  }

  /** @returns undefined if the exit was closed, or opened again after a change */
  findId(exit: Exit): string | undefined {
    for (const [id, open] of this.#byId) if (open.exit === exit) return id;
    return undefined;
  }

  /**
   * Marks the exits whose connections have to end, and no others.
   * @param works whether tunnels of customers still open: what refuses only the echo serves its customers
   */
  setLost(ids: ReadonlySet<string>, works: (exit: Exit) => boolean): void {
    for (const [id, { exit }] of this.#byId) exit.setLost(ids.has(id) && !works(exit));
  }

  /** The exits whose address is about to change, and no others. */
  setRotating(ids: ReadonlySet<string>): void {
    for (const [id, { exit }] of this.#byId) exit.isRotating = ids.has(id);
  }

  /** Closes unused exits and checks the others. */
  async check(inUse: ReadonlySet<Exit>): Promise<void> {
    for (const exit of this.#open) if (!inUse.has(exit)) this.#close(exit);
    for (const exit of this.#open) await exit.check();
  }

  #close(exit: Exit): void {
    this.#open.delete(exit);
    for (const [id, open] of this.#byId) if (open.exit === exit) this.#byId.delete(id);
    exit.close();
  }
}

export interface ExitSettings {
  readonly controlUrl: string;
  readonly nameServers?: readonly string[] | undefined;
  /** Reserved for the DNS ports of connections; never used as source ports. */
  readonly dnsPorts?: PortRange;
  /** The ports to which clients of UDP associations send. */
  readonly udpPorts?: PortRange;
  readonly allowPrivate: boolean;
  readonly log: Logger;
}

interface NodeParts {
  readonly limits: Limits;
  readonly metrics: Metrics;
  /** The ports of TCP listeners; filled when they are bound. */
  readonly ownPorts: ReadonlySet<number>;
  readonly refused: RefusedDestinations;
  /** The DNS ports of connections: the control plane may assign ports outside the range of the settings. */
  readonly assignedDnsPorts: Pick<DnsPorts, 'serves'>;
  /** Its native code dials, if there is any. */
  readonly relay: Pick<Relay, 'sockets'>;
}

/** The exits of this node, and the checks of destinations. */
interface Routes {
  readonly exits: Exits;
  readonly reserved: ReservedAddresses;
  readonly dial: Dial;
  /** For checks of exits alone: reaches the echoes as well, wherever they are. */
  readonly dialForChecks: Dial;
  /** For checks: reaches what customers may reach, and records no outcome. */
  readonly dialDestination: Dial;
  /** For links that change addresses. @param isOwnHost the link is on the host of the exit itself, which may be private */
  readonly dialForLinks: (isOwnHost: boolean) => Dial;
  /** This host's default route. */
  readonly ownRoute: Exit;
  readonly dialOutcomes: DialOutcomes;
  /** Checks the destinations of datagrams. */
  readonly guard: DestinationGuard;
  /** For checks: the operator refuses them nothing. */
  readonly guardForChecks: DestinationGuard;
  readonly clientPorts: ClientPorts;
}

const NO_PORTS: PortRange = { first: 1, last: 0 };
const UDP_PORTS: PortRange = { first: 21_000, last: 29_999 };

export function openExits(settings: ExitSettings, parts: NodeParts): Routes {
  const { controlUrl, nameServers, dnsPorts = NO_PORTS, udpPorts = UDP_PORTS, log } = settings;
  const { limits, metrics, refused, relay } = parts;
  const onEvent = (event: UpstreamEvent) => metrics.dns.upstream(event);
  const upstreamBudget: UpstreamBudget = {
    socketsMax: limits.dnsUpstreamSockets,
    sockets: 0,
    idle: new Set(),
    onEvent,
  };
  metrics.watch('gateway_dns_upstream_sockets', 'Sockets to name servers', () => upstreamBudget.sockets);
  const names = openDirectNames({ limits, nameServers, upstreamBudget });
  // An address of the control plane that has changed is refused after the next refresh.
  const freshNames = openDirectNames({ limits: { ...limits, nameKeptMs: 0 }, nameServers, upstreamBudget });
  const reserved = new ReservedAddresses({ controlUrl, names: freshNames, log });
  reserved.refreshOwn();
  const hostAddresses = () => reserved.own;
  const { isTcpAllowed, isUdpAllowed, isRelayAllowed, isProxyAllowed } = createPolicies(settings, parts, reserved);
  const onLookup = (outcome: LookupOutcome) => metrics.dns.lookup(outcome);
  const sourcePorts = new SourcePorts([dnsPorts]);
  const extraDials = { count: 0 };
  metrics.watch('gateway_extra_dials', 'Dials in addition to one to the same destination', () => extraDials.count);
  const shared = { limits, nameServers, upstreamBudget, sockets: relay.sockets };
  const openLocal = (address: string | null) =>
    new LocalAddressExit({ ...shared, address, sourcePorts, hostAddresses });
  const isOpenNetwork = (address: Uint8Array) => settings.allowPrivate || isPublicAddress(address);
  const exits = new Exits((exit) =>
    exit.kind === 'local-address'
      ? openLocal(exit.address)
      : new UpstreamProxyExit({
          ...shared,
          upstream: exit,
          names,
          onLookup,
          isRelayAllowed,
          isProxyAllowed,
          isOpenNetwork,
        }),
  );
  const isCheckAllowed = (address: Uint8Array, port: number) =>
    reserved.isEcho(canonicalAddress(addressText(address)) ?? '', port) || isTcpAllowed(address, port);
  const isOwnHostAllowed = (address: Uint8Array, port: number) =>
    isTcpAllowed(address, port) ||
    (isProxyAllowed(address, port) && !isLoopbackOrUnspecified(addressText(unmapped(address))));
  const dialOutcomes = new DialOutcomes(limits);
  const isForChecks = true;
  return {
    exits,
    reserved,
    dial: createDial({ guard: createGuard(isTcpAllowed, { refused }), limits, extraDials, outcomes: dialOutcomes }),
    dialForChecks: withSystemNames(
      createDial({ guard: createGuard(isCheckAllowed, { isForChecks }), limits, extraDials }),
      reserved,
    ),
    dialDestination: createDial({ guard: createGuard(isTcpAllowed, { isForChecks }), limits, extraDials }),
    dialForLinks: (isOwnHost) =>
      createDial({ guard: createGuard(isOwnHost ? isOwnHostAllowed : isTcpAllowed), limits, extraDials }),
    ownRoute: openLocal(null),
    dialOutcomes,
    guard: createGuard(isUdpAllowed, { refused, revision: () => reserved.revision }),
    guardForChecks: createGuard(isUdpAllowed, { isForChecks }),
    clientPorts: new ClientPorts({ range: udpPorts, reserved: dnsPorts, limits }),
  };
}

/** Which addresses may be destinations of tunnels and of datagrams, and relays of upstream proxies. */
function createPolicies(
  { dnsPorts = NO_PORTS, udpPorts = UDP_PORTS, allowPrivate }: ExitSettings,
  { ownPorts, assignedDnsPorts }: NodeParts,
  reserved: ReservedAddresses,
) {
  const hostAddresses = () => reserved.own;
  const policyWithout = (isOwnPort: (port: number) => boolean): DestinationPolicy => ({
    isPrivateAllowed: allowPrivate,
    isOwnListener: ownListeners({ has: isOwnPort }, hostAddresses),
    isReserved: (address, port) => reserved.isReserved(address, port),
  });
  // In a tunnel to a DNS port, the client would have an address of this node.
  const isDns = (port: number) => isWithin(port, dnsPorts) || assignedDnsPorts.serves(port);
  const tcpPolicy = policyWithout((port) => ownPorts.has(port) || isDns(port));
  const udpPolicy = policyWithout((port) => isWithin(port, udpPorts) || isDns(port));
  // The address of a relay comes from another proxy, so it is never private.
  const relayPolicy = { ...udpPolicy, isPrivateAllowed: false };
  const isRelayAllowed = (address: Uint8Array, port: number) => isDestinationAllowed(relayPolicy, address, port);
  const isReserved = (address: string, port: number) => reserved.isRefusedUpstream(address, port);
  const proxyPolicy = { ...tcpPolicy, isReserved };
  return {
    isTcpAllowed: (address: Uint8Array, port: number) => isDestinationAllowed(tcpPolicy, address, port),
    isUdpAllowed: (address: Uint8Array, port: number) => isDestinationAllowed(udpPolicy, address, port),
    isRelayAllowed,
    isProxyAllowed: (address: Uint8Array, port: number) => isUpstreamAllowed(proxyPolicy, address, port),
  };
}

/** Resolves names by the host's default route: those of upstream proxies, of destinations behind them, and of the control plane. */
function openDirectNames(settings: Pick<LocalExitSettings, 'limits' | 'nameServers' | 'upstreamBudget'>): NameResolver {
  const upstream = new DnsUpstream({
    ...settings,
    address: null,
    budget: settings.upstreamBudget,
    dial: ({ host, port }, timeoutMs) => dialAddress({ host, port }, timeoutMs, new DialAbort()),
  });
  return new NameResolver(upstream, null, settings.limits);
}

/** The system may know the name of an echo that no name server is asked for, such as `shop.local`. `localhost` has two addresses. */
function withSystemNames(dial: Dial, reserved: ReservedAddresses): Dial {
  return (exit, target, abort) => {
    const { host } = target;
    const isUnasked = host.kind === 'name' && host.name !== 'localhost' && isSpecialName(host.name);
    const known = isUnasked ? parseHost(reserved.echoAddress(host.name) ?? '') : undefined;
    return dial(exit, known ? { ...target, host: known } : target, abort);
  };
}
