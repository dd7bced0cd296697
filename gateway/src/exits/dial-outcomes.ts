import type { Limits } from '../limits.ts';
import { addressText, type Host, type Target } from '../protocol/host.ts';
import type { FailureCause } from '../statuses.ts';
import type { Exit } from './exit.ts';

/** They say nothing about the exit. */
const unrelated: ReadonlySet<FailureCause> = new Set<FailureCause>([
  'client-closed',
  'descriptors-exhausted',
  'destination-prohibited',
  'destination-refused',
  'name-not-found',
]);

/**
 * How tunnels of customers fare. Notices exits through which customers reach nothing. It only causes a check, which decides: customers choose the destinations, so
 * one of them could make any exit fail.
 */
export class DialOutcomes {
  /** The failed destinations since the last success by network, a few at most. */
  readonly #byExit = new Map<Exit, Map<string, Target>>();
  /** One of those that made an exit suspect, until a tunnel opens or a check has reached a destination. */
  readonly #unreached = new Map<Exit, Target>();
  readonly #workedAt = new WeakMap<Exit, number>();
  /** Called when tunnels have failed to destinations of several networks without a success in between. The checks set it. */
  onSuspect: (exit: Exit) => void = () => {};

  constructor(private readonly limits: Pick<Limits, 'suspectDestinations' | 'workingMs'>) {}

  worked(exit: Exit): void {
    this.#workedAt.set(exit, performance.now());
    if (this.#byExit.size > 0) this.#byExit.delete(exit);
    this.reached(exit);
  }

  failed(exit: Exit, target: Target, cause: FailureCause): void {
    if (unrelated.has(cause)) return;
    const destinations = this.#byExit.get(exit) ?? new Map<string, Target>();
    this.#byExit.set(exit, destinations.set(networkText(target.host), target));
    if (destinations.size < this.limits.suspectDestinations) return;
    this.#byExit.delete(exit);
    this.#unreached.set(exit, target);
    this.onSuspect(exit);
  }

  /** A destination of customers which this exit did not reach; undefined unless the exit is suspect. */
  unreached(exit: Exit): Target | undefined {
    return this.#unreached.get(exit);
  }

  /** The exit is not suspect any more. */
  reached(exit: Exit): void {
    if (this.#unreached.size > 0) this.#unreached.delete(exit);
  }

  /** Whether a tunnel has opened lately. */
  isWorking(exit: Exit): boolean {
    const at = this.#workedAt.get(exit);
    return at !== undefined && performance.now() - at < this.limits.workingMs;
  }

  /** Forgets exits that are not in use any more. */
  retain(inUse: ReadonlySet<Exit>): void {
    for (const destinations of [this.#byExit, this.#unreached])
      for (const exit of destinations.keys()) if (!inUse.has(exit)) destinations.delete(exit);
  }
}

/** Destinations that may be down together: the /24 of an IPv4 address, the /48 of an IPv6 address, names of one domain. */
function networkText(host: Host): string {
  if (host.kind === 'name') return host.name.split('.').slice(-2).join('.');
  return addressText(host.bytes.map((byte, index) => (index < (host.bytes.length === 4 ? 3 : 6) ? byte : 0)));
}
