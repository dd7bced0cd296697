import type { Limits } from '../limits.ts';
import { authorityText, type Target } from '../protocol/host.ts';
import type { FailureCause } from '../statuses.ts';
import type { Exit } from './exit.ts';

interface DialOutcomesSettings {
  readonly limits: Pick<Limits, 'suspectDestinations' | 'workingMs'>;
  /** Called when tunnels have failed to several destinations without a success in between. */
  readonly onSuspect: (exit: Exit) => void;
}

/** They say nothing about the exit. */
const unrelated: ReadonlySet<FailureCause> = new Set<FailureCause>([
  'client-closed',
  'descriptors-exhausted',
  'destination-prohibited',
  'name-not-found',
]);

/**
 * How tunnels of customers fare. Notices exits through which customers reach nothing. It only causes a check, which decides: customers choose the destinations, so
 * one of them could make any exit fail.
 */
export class DialOutcomes {
  /** The failed destinations since the last success, a few at most. */
  readonly #byExit = new Map<Exit, Set<string>>();
  readonly #workedAt = new WeakMap<Exit, number>();

  constructor(private readonly settings: DialOutcomesSettings) {}

  worked(exit: Exit): void {
    this.#workedAt.set(exit, performance.now());
    if (this.#byExit.size > 0) this.#byExit.delete(exit);
  }

  failed(exit: Exit, target: Target, cause: FailureCause): void {
    if (unrelated.has(cause)) return;
    const destinations = this.#byExit.get(exit) ?? new Set<string>();
    this.#byExit.set(exit, destinations.add(authorityText(target)));
    if (destinations.size < this.settings.limits.suspectDestinations) return;
    this.#byExit.delete(exit);
    this.settings.onSuspect(exit);
  }

  /** Whether a tunnel has opened lately. */
  isWorking(exit: Exit): boolean {
    const at = this.#workedAt.get(exit);
    return at !== undefined && performance.now() - at < this.settings.limits.workingMs;
  }

  /** Forgets exits that are not in use any more. */
  retain(inUse: ReadonlySet<Exit>): void {
    for (const exit of this.#byExit.keys()) if (!inUse.has(exit)) this.#byExit.delete(exit);
  }
}
