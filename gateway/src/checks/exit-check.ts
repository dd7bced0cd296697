import type { ExitCheck } from '@cellhop/contract/exit-checks';
import type { DialAbort, Exit } from '../exits/exit.ts';
import type { Limits } from '../limits.ts';
import { type FailureCause, toDialFailure, TunnelFailure } from '../statuses.ts';
import { askEcho, type EchoAnswer, EchoFailure, type EchoSettings } from './echo-request.ts';

export interface CheckSettings extends Omit<EchoSettings, 'running'> {
  readonly limits: Pick<Limits, 'echoProbeCacheMs' | 'echoProbeMs' | 'echoResponseBytes' | 'exitCheckTimeoutMs'>;
  /** The echoes to ask, in this order. */
  readonly echoUrls: () => readonly string[];
  /** This host's own route, by which the node finds out whether an echo works at all. */
  readonly ownRoute: Exit;
}

type Outcome = Omit<ExitCheck, 'exitId'>;

/** Faults of the exit itself: another echo could not be reached either, and the echo is not in doubt. */
const faultsOfExit: ReadonlySet<FailureCause> = new Set<FailureCause>([
  'exit-unavailable',
  'upstream-unreachable',
  'upstream-timeout',
  'upstream-auth-failed',
  'upstream-malformed',
]);

interface Probe {
  readonly at: number;
  readonly isReachable: Promise<boolean>;
}

/** Checks exits by requests to the echoes of the shop. */
export class ExitCheckPerformer {
  readonly #probes = new Map<string, Probe>();
  readonly #running = new Set<DialAbort>();
  #isClosed = false;

  constructor(private readonly settings: CheckSettings) {}

  /** Never rejects, and ends within `exitCheckTimeoutMs` and `echoProbeMs`. */
  async check(exit: Exit): Promise<Outcome> {
    const { echoUrls, limits } = this.settings;
    const urls = echoUrls();
    let reason = 'echo-unreachable';
    for (const url of urls) {
      try {
        const answer = await this.#ask(exit, url, limits.exitCheckTimeoutMs / urls.length);
        return { outcome: 'ok', ...answer };
      } catch (error) {
        reason = toReason(error);
        if (error instanceof TunnelFailure && faultsOfExit.has(error.failure)) return { outcome: 'failed', reason };
      }
    }
    const isConclusive = await this.#isAnyReachable(urls);
    return isConclusive ? { outcome: 'failed', reason } : { outcome: 'inconclusive', reason: 'echo-unreachable' };
  }

  /** Ends all checks. */
  close(): void {
    this.#isClosed = true;
    for (const abort of this.#running) abort.abort();
  }

  async #ask(exit: Exit, url: string, timeoutMs: number): Promise<EchoAnswer> {
    if (this.#isClosed) throw new TunnelFailure('draining');
    return askEcho({ ...this.settings, running: this.#running }, exit, url, timeoutMs);
  }

  /** Without this, an outage of the shop's own address would take all exits out of the catalogue, and end their connections. */
  async #isAnyReachable(urls: readonly string[]): Promise<boolean> {
    const probes = await Promise.all(urls.map((url) => this.#isReachable(url)));
    return probes.some(Boolean);
  }

  /** Shared by all checks of the next seconds. */
  #isReachable(url: string): Promise<boolean> {
    const { limits, ownRoute } = this.settings;
    const known = this.#probes.get(url);
    if (known && performance.now() - known.at < limits.echoProbeCacheMs) return known.isReachable;
    const isReachable = this.#ask(ownRoute, url, limits.echoProbeMs).then(
      () => true,
      () => false,
    );
    this.#probes.set(url, { at: performance.now(), isReachable });
    return isReachable;
  }
}

function toReason(error: unknown): string {
  if (error instanceof EchoFailure) return error.reason;
  const { failure, code } = toDialFailure(error);
  return code === undefined ? failure : `${failure}:${code}`;
}
