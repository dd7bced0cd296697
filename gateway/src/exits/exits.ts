import type { Exit as ExitDescription } from '@cellhop/contract/gateway';
import type { PortRange } from '@cellhop/contract/network';
import type { Logger } from 'pino';
import { type DestinationPolicy, isDestinationAllowed, ownListeners } from '../destination-policy.ts';
import type { Limits } from '../limits.ts';
import type { Metrics } from '../metrics.ts';
import { ClientPorts } from '../udp/client-ports.ts';
import { createGuard, type DestinationGuard } from './destination-guard.ts';
import { createDial, type Dial } from './dial.ts';
import { DnsUpstream } from './dns-upstream.ts';
import { DialAbort, type Exit } from './exit.ts';
import { dialAddress, LocalAddressExit, type LocalExitSettings } from './local-address.ts';
import { NameResolver } from './name-resolver.ts';
import type { UpstreamBudget } from './query-connections.ts';
import type { UpstreamEvent } from './query-socket.ts';
import { ReservedAddresses } from './reserved-addresses.ts';
import { isWithin, SourcePorts } from './source-ports.ts';
import { UpstreamProxyExit } from './upstream-proxy.ts';

interface OpenExit {
  readonly exit: Exit;
  /** The fields that the control plane sent, as text. */
  readonly description: string;
}

/** The exits of this node. Each is opened once and shared by its connections. */
export class Exits {
  readonly #byId = new Map<string, OpenExit>();
  readonly #open = new Set<Exit>();

  constructor(private readonly openExit: (description: ExitDescription) => Exit) {}

  /**
   * Returns the exit with this id, and opens it if necessary. A changed exit is opened again; existing connections keep the
   * old one.
   */
  get(exit: ExitDescription): Exit {
    const { id, ...fields } = exit;
    const description = JSON.stringify(fields);
    const known = this.#byId.get(id);
    if (known?.description === description) return known.exit;
    const opened = this.openExit(exit);
    this.#byId.set(id, { exit: opened, description });
    this.#open.add(opened);
    return opened;
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
  /** Whether a connection has this DNS port here: the control plane may assign ports outside the range of the settings. */
  readonly isDnsPort: (port: number) => boolean;
}

/** The exits of this node, and the checks of destinations. */
interface Routes {
  readonly exits: Exits;
  readonly reserved: ReservedAddresses;
  readonly dial: Dial;
  /** Checks the destinations of datagrams. */
  readonly guard: DestinationGuard;
  readonly clientPorts: ClientPorts;
}

const NO_PORTS: PortRange = { first: 1, last: 0 };
const UDP_PORTS: PortRange = { first: 21_000, last: 29_999 };

export function openExits(settings: ExitSettings, { limits, metrics, ownPorts, isDnsPort }: NodeParts): Routes {
  const { controlUrl, nameServers, dnsPorts = NO_PORTS, udpPorts = UDP_PORTS, allowPrivate, log } = settings;
  const onEvent = (event: UpstreamEvent) => metrics.dns.upstream(event);
  const upstreamBudget: UpstreamBudget = { socketsMax: limits.dnsUpstreamSockets, sockets: 0, onEvent };
  metrics.watch('gateway_dns_upstream_sockets', 'Sockets to name servers', () => upstreamBudget.sockets);
  const names = openDirectNames({ limits, nameServers, upstreamBudget });
  const reserved = new ReservedAddresses({ controlUrl, names, log });
  reserved.refreshOwn();
  const hostAddresses = () => reserved.own;
  const policyWithout = (isOwnPort: (port: number) => boolean): DestinationPolicy => ({
    isPrivateAllowed: allowPrivate,
    isOwnListener: ownListeners({ has: isOwnPort }, hostAddresses),
    isReserved: (address, port) => reserved.isReserved(address, port),
  });
  // In a tunnel to a DNS port, the client would have an address of this node.
  const isDns = (port: number) => isWithin(port, dnsPorts) || isDnsPort(port);
  const tcpPolicy = policyWithout((port) => ownPorts.has(port) || isDns(port));
  const udpPolicy = policyWithout((port) => isWithin(port, udpPorts) || isDns(port));
  // The address of a relay comes from another proxy, so it is never private.
  const relayPolicy = { ...udpPolicy, isPrivateAllowed: false };
  const isRelayAllowed = (address: Uint8Array, port: number) => isDestinationAllowed(relayPolicy, address, port);
  const sourcePorts = new SourcePorts([dnsPorts]);
  const extraDials = { count: 0 };
  metrics.watch('gateway_extra_dials', 'Dials beside an earlier one to the same destination', () => extraDials.count);
  const shared = { limits, nameServers, upstreamBudget };
  const exits = new Exits((exit) =>
    exit.kind === 'local-address'
      ? new LocalAddressExit({ ...shared, address: exit.address, sourcePorts, hostAddresses })
      : new UpstreamProxyExit({ ...shared, upstream: exit, names, isRelayAllowed, metrics, log }),
  );
  return {
    exits,
    reserved,
    dial: createDial({ guard: createGuard(tcpPolicy), limits, extraDials }),
    guard: createGuard(udpPolicy, () => reserved.revision),
    clientPorts: new ClientPorts({ range: udpPorts, reserved: dnsPorts, limits }),
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
  return new NameResolver(upstream, null);
}
