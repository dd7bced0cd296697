/** File descriptors: how many this process may have, what fits into them, and what happens when there are none left. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Logger } from 'pino';
import type { Limits } from './limits.ts';

/** Node's own, logs, the metrics listener, name servers, checks of exits and calls that report. */
const RESERVED = 96;
/** At most this share of the others may be held by clients without credentials; each may cost a call that checks them. */
const HALF_OPEN_SHARE = 1 / 8;
/** One network, or one connection, leaves the others at least so much of a small node. */
const NETWORK_SHARE = 1 / 2;
const CONNECTION_SHARE = 1 / 4;

/** The soft limit of this process, which Node raises to the hard limit at its start. Undefined: there is none, or nobody tells. */
export function descriptorLimit(): number | undefined {
  const text = process.platform === 'linux' ? limitOfLinux() : limitOfShell();
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

function limitOfLinux(): string | undefined {
  return /^Max open files +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
}

function limitOfShell(): string | undefined {
  try {
    return execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8', timeout: 5_000 }).trim();
  } catch {
    return undefined; // Windows has no shell and no such limit.
  }
}

/** A tunnel has a client socket and one to its destination; while credentials are checked, a call has one, too. */
export const descriptorsFor = ({ clientSocketsPerNode, tunnelsPerNode, halfOpenPerNode }: Limits): number =>
  RESERVED + clientSocketsPerNode + tunnelsPerNode + halfOpenPerNode;

/** Lowers the limits of this node so far that its sockets cannot use up the descriptors. */
export function fitToDescriptors(limits: Limits, descriptors: number | undefined): Limits {
  if (descriptors === undefined || descriptors >= descriptorsFor(limits)) return limits;
  const free = Math.max(0, descriptors - RESERVED);
  const halfOpenPerNode = lower(limits.halfOpenPerNode, free * HALF_OPEN_SHARE);
  // What half-open clients leave is shared as without a limit: kept connections need one descriptor, tunnels two.
  const wanted = limits.tunnelsPerNode + limits.clientSocketsPerNode - limits.halfOpenPerNode;
  const tunnelsPerNode = lower(
    limits.tunnelsPerNode,
    ((free - 2 * halfOpenPerNode) * limits.tunnelsPerNode) / Math.max(1, wanted),
  );
  const clientSocketsPerNode = lower(limits.clientSocketsPerNode, free - tunnelsPerNode - halfOpenPerNode);
  return {
    ...limits,
    halfOpenPerNode,
    tunnelsPerNode,
    clientSocketsPerNode,
    halfOpenPerNetwork: lower(limits.halfOpenPerNetwork, halfOpenPerNode * NETWORK_SHARE),
    clientSocketsPerNetwork: lower(limits.clientSocketsPerNetwork, clientSocketsPerNode * NETWORK_SHARE),
    tunnelsPerConnection: lower(limits.tunnelsPerConnection, tunnelsPerNode * CONNECTION_SHARE),
    clientSocketsPerConnection: lower(limits.clientSocketsPerConnection, clientSocketsPerNode * CONNECTION_SHARE),
  };
}

const lower = (limit: number, most: number) => Math.min(limit, Math.max(1, Math.floor(most)));

export function warnOfDescriptors(log: Logger, wanted: Limits, fitted: Limits, descriptors: number | undefined): void {
  if (wanted === fitted) return;
  const { tunnelsPerNode: tunnels, clientSocketsPerNode: clientSockets } = fitted;
  const facts = { descriptors, wantedDescriptors: descriptorsFor(wanted), tunnels, clientSockets };
  log.warn(facts, 'The limit of open files (ulimit -n) lowers the limits of this node');
}

const EXHAUSTED = new Set(['EMFILE', 'ENFILE']);
const isExhaustion = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && EXHAUSTED.has(String(error.code));

interface WatchSettings {
  readonly log: Logger;
  readonly counted: () => void;
  readonly logEveryMs: number;
  readonly open?: () => void;
  readonly now?: () => number;
}

/**
 * Notices that no descriptor is left. The limits keep sockets from using them up, but others count in the same limit, and
 * the whole system has one. libuv closes clients that it cannot accept without telling anybody, so this looks for itself.
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

  /** Something failed for want of a descriptor. */
  exhausted(): void {
    this.settings.counted();
    const now = this.#now();
    if (now - this.#loggedAt < this.settings.logEveryMs) return;
    this.#loggedAt = now;
    this.settings.log.error('No file descriptor is left: clients and tunnels are refused');
  }
}
