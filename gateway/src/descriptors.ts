/** File descriptors: the limit of this process, the node limits that fit into it, and what happens when none is left. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Logger } from 'pino';
import type { Limits } from './limits.ts';

/** For Node itself, logs, the metrics listener, name servers, exit checks and reports. */
const RESERVED = 96;
/** The maximum share of the others for clients without valid credentials; each may also need an authorization call. */
const HALF_OPEN_SHARE = 1 / 8;
/** The maximum share of DNS ports and their clients, and of sockets to name servers, which also resolve the names of tunnels. */
const DNS_SHARE = 1 / 8;
/** The maximum share of dials of further addresses. */
const EXTRA_DIALS_SHARE = 1 / 32;
/** Pipes of the accelerator. Their memory is a quarter of what Linux gives an unprivileged user (fs.pipe-user-pages-soft). */
const PIPES_MAX = 64;
/** On a small node, each with two descriptors: bulk traffic would be copied for want of a few. */
const PIPES_SHARE = 1 / 256;
/** The maximum shares of one network and of one connection on a small node. */
const NETWORK_SHARE = 1 / 2;
const CONNECTION_SHARE = 1 / 4;

/** The soft limit of this process, which Node raises to the hard limit at its start. Undefined: unlimited or unknown. */
export function descriptorLimit(): number | undefined {
  const text = process.platform === 'linux' ? linuxLimit() : shellLimit();
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

function linuxLimit(): string | undefined {
  return /^Max open files +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
}

function shellLimit(): string | undefined {
  try {
    return execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8', timeout: 5_000 }).trim();
  } catch {
    return undefined; // Windows has no shell and no such limit.
  }
}

/** An association is a tunnel with two more sockets: one to the client, and one for the other address family. */
const ASSOCIATION_EXTRA = 2;

/** Descriptors besides client sockets: sockets to destinations, and additional ones of associations. */
export const flowDescriptors = ({ tunnels, associations }: { tunnels: number; associations: number }): number =>
  tunnels + ASSOCIATION_EXTRA * associations;

/** A tunnel needs a client socket and one to its destination; each authorization call needs one, too. */
export const descriptorsFor = (limits: Limits): number =>
  RESERVED +
  limits.extraDialsPerNode +
  limits.halfOpenPerNode +
  descriptorsForFlows(limits) +
  descriptorsForDns(limits);

/** For clients, with and without a tunnel, and for tunnels and associations. */
export const descriptorsForFlows = ({ clientSocketsPerNode, tunnelsPerNode, associationsPerNode }: Limits): number =>
  clientSocketsPerNode + flowDescriptors({ tunnels: tunnelsPerNode, associations: associationsPerNode });

/** A DNS port needs a UDP and a TCP socket. */
const descriptorsForDns = ({ dnsPortsPerNode, dnsTcpClientsPerNode, dnsUpstreamSockets }: Limits): number =>
  2 * dnsPortsPerNode + dnsTcpClientsPerNode + dnsUpstreamSockets;

/** Lowers the limits of this node so that its sockets cannot exhaust the descriptors. */
export function fitToDescriptors(limits: Limits, available: number | undefined): Limits {
  if (available === undefined || available >= descriptorsFor(limits)) return limits;
  const descriptors = available - 2 * Math.min(PIPES_MAX, Math.floor(available * PIPES_SHARE));
  const dns = fitDns(limits, Math.max(0, descriptors - RESERVED) * DNS_SHARE);
  const extraDialsPerNode = lower(limits.extraDialsPerNode, Math.max(0, descriptors - RESERVED) * EXTRA_DIALS_SHARE);
  const free = Math.max(0, descriptors - RESERVED - extraDialsPerNode - descriptorsForDns(dns));
  const halfOpenPerNode = lower(limits.halfOpenPerNode, free * HALF_OPEN_SHARE);
  // The rest keeps the ratio of the default limits: an idle client socket needs one descriptor, a tunnel two.
  const wanted = descriptorsForFlows(limits) - limits.halfOpenPerNode;
  const share = Math.max(0, free - 2 * halfOpenPerNode) / Math.max(1, wanted);
  const tunnelsPerNode = lower(limits.tunnelsPerNode, limits.tunnelsPerNode * share);
  const associationsPerNode = lower(limits.associationsPerNode, limits.associationsPerNode * share);
  const flows = flowDescriptors({ tunnels: tunnelsPerNode, associations: associationsPerNode });
  const clientSocketsPerNode = lower(limits.clientSocketsPerNode, free - flows - halfOpenPerNode);
  return {
    ...dns,
    extraDialsPerNode,
    halfOpenPerNode,
    tunnelsPerNode,
    associationsPerNode,
    clientSocketsPerNode,
    halfOpenPerNetwork: lower(limits.halfOpenPerNetwork, halfOpenPerNode * NETWORK_SHARE),
    clientSocketsPerNetwork: lower(limits.clientSocketsPerNetwork, clientSocketsPerNode * NETWORK_SHARE),
    tunnelsPerConnection: lower(limits.tunnelsPerConnection, tunnelsPerNode * CONNECTION_SHARE),
    associationsPerConnection: lower(limits.associationsPerConnection, associationsPerNode * CONNECTION_SHARE),
    clientSocketsPerConnection: lower(limits.clientSocketsPerConnection, clientSocketsPerNode * CONNECTION_SHARE),
  };
}

/** Only what the limits leave, because without pipes the accelerator copies. */
export function pipesWithin(limits: Limits, descriptors: number | undefined): number {
  if (descriptors === undefined) return PIPES_MAX;
  return Math.max(0, Math.min(PIPES_MAX, Math.floor((descriptors - descriptorsFor(limits)) / 2)));
}

/** Two fifths for the ports, a fifth for TCP clients, and two fifths for the sockets to name servers. */
function fitDns(limits: Limits, descriptors: number): Limits {
  return {
    ...limits,
    dnsPortsPerNode: lower(limits.dnsPortsPerNode, descriptors / 5),
    dnsTcpClientsPerNode: lower(limits.dnsTcpClientsPerNode, descriptors / 5),
    dnsUpstreamSockets: lower(limits.dnsUpstreamSockets, (2 * descriptors) / 5),
  };
}

const lower = (limit: number, most: number) => Math.min(limit, Math.max(1, Math.floor(most)));

export function warnAboutDescriptorLimit(
  log: Logger,
  wanted: Limits,
  fitted: Limits,
  descriptors: number | undefined,
): void {
  if (wanted === fitted) return;
  const { tunnelsPerNode: tunnels, clientSocketsPerNode: clientSockets, dnsPortsPerNode: dnsPorts } = fitted;
  const fields = { descriptors, wantedDescriptors: descriptorsFor(wanted), tunnels, clientSockets, dnsPorts };
  log.warn(fields, 'The limit of open files (ulimit -n) lowers the limits of this node');
}

const EXHAUSTED = new Set(['EMFILE', 'ENFILE']);
const isExhaustion = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && EXHAUSTED.has(String(error.code));

interface WatchSettings {
  readonly log: Logger;
  readonly onExhausted: () => void;
  readonly logEveryMs: number;
  readonly open?: () => void;
  readonly now?: () => number;
}

/**
 * Detects that no descriptor is left. The node limits bound the sockets, but other files count too, and the system has a
 * global limit. libuv closes clients that it cannot accept without an error, so this check opens a file itself.
 */
export class DescriptorWatch {
  #loggedAt = Number.NEGATIVE_INFINITY;
  readonly #open: () => void;
  readonly #now: () => number;

  constructor(private readonly settings: WatchSettings) {
    this.#open = settings.open ?? (() => closeSync(openSync(devNull, 'r')));
    this.#now = settings.now ?? (() => performance.now());
  }

  check(): void {
    try {
      this.#open();
    } catch (error) {
      if (!isExhaustion(error)) throw error;
      this.exhausted();
    }
  }

  /** Call it when an operation failed with EMFILE or ENFILE. */
  exhausted(): void {
    this.settings.onExhausted();
    const now = this.#now();
    if (now - this.#loggedAt < this.settings.logEveryMs) return;
    this.#loggedAt = now;
    this.settings.log.error('No file descriptor is left: clients and tunnels are refused');
  }
}
