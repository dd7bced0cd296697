import type { Logger } from 'pino';
import { type DestinationPolicy, isDestinationAllowed, ownListeners } from './destination-policy.ts';
import { createGuard, type DestinationGuard } from './exits/destination-guard.ts';
import { createDial, type Dial } from './exits/dial.ts';
import { Exits } from './exits/exits.ts';
import { LocalAddressExit } from './exits/local-address.ts';
import type { UpstreamBudget } from './exits/query-connections.ts';
import type { UpstreamEvent } from './exits/query-socket.ts';
import { ReservedAddresses } from './exits/reserved-addresses.ts';
import type { PortRange } from '@cellhop/contract/port-range';
import { isWithin, SourcePorts } from './exits/source-ports.ts';
import { UpstreamProxyExit } from './exits/upstream-proxy.ts';
import type { Limits } from './limits.ts';
import type { Metrics } from './metrics.ts';
import { ClientPorts } from './udp/client-ports.ts';

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
  const reserved = new ReservedAddresses({ controlUrl, nameServers, log });
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
  const onEvent = (event: UpstreamEvent) => metrics.dns.upstream(event);
  const upstreamBudget: UpstreamBudget = { socketsMax: limits.dnsUpstreamSockets, sockets: 0, onEvent };
  metrics.watch('gateway_dns_upstream_sockets', 'Sockets to name servers', () => upstreamBudget.sockets);
  const sourcePorts = new SourcePorts([dnsPorts]);
  const shared = { limits, nameServers, upstreamBudget };
  const exits = new Exits((exit) =>
    exit.kind === 'local-address'
      ? new LocalAddressExit({ ...shared, address: exit.address, sourcePorts, hostAddresses })
      : new UpstreamProxyExit({ ...shared, upstream: exit, isRelayAllowed, metrics, log }),
  );
  return {
    exits,
    reserved,
    dial: createDial({ guard: createGuard(tcpPolicy), limits }),
    guard: createGuard(udpPolicy, () => reserved.revision),
    clientPorts: new ClientPorts({ range: udpPorts, reserved: dnsPorts, limits }),
  };
}
