import type { ExitCheck } from '@cellhop/contract/exit-checks';
import type { Dial } from '../exits/dial.ts';
import type { DialAbort, Exit } from '../exits/exit.ts';
import type { Limits } from '../limits.ts';
import type { Target } from '../protocol/host.ts';
import { type FailureCause, toDialFailure, TunnelFailure } from '../statuses.ts';
import { askEcho, type EchoAnswer, EchoFailure, type EchoSettings } from './echo-request.ts';
import { accepts, answersTls, type RequestSettings } from './request-through.ts';

export interface CheckSettings extends Omit<EchoSettings, 'running'> {
  readonly limits: Pick<Limits, 'echoProbeCacheMs' | 'echoProbeMs' | 'echoResponseBytes' | 'exitCheckTimeoutMs'>;
  /** The echoes to ask, in this order. */
  readonly echoUrls: () => readonly string[];
  /** This host's own route, by which the node finds out whether an echo works at all. */
  readonly ownRoute: Exit;
  /** Its guard permits what customers may reach. */
  readonly dialDestination: Dial;
  /** Destinations that answer a TLS hello, asked through exits that may carry the echo alone. */
  readonly checkDestinations: readonly Target[];
  /** Exits through which tunnels of customers have opened lately. */
  readonly workingExits: () => readonly Exit[];
}

/** Tunnels of customers have failed, or the last check has found that the exit carries the echo alone. */
interface Doubt {
  /** A destination that customers did not reach, if this run knows one. */
  readonly unreached: Target | undefined;
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

/** Exits that are asked whether a destination is up, where this host itself may not reach it. */
const REFERENCE_EXITS_MAX = 2;

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

  /** Never rejects, and ends within `exitCheckTimeoutMs`, twice if there is a doubt, and `echoProbeMs`. */
  async check(exit: Exit, doubt?: Doubt): Promise<Outcome> {
    const { echoUrls, limits } = this.settings;
    const urls = echoUrls();
    let reason = 'echo-unreachable';
    for (const url of urls) {
      try {
        const answer = await this.#ask(exit, url, limits.exitCheckTimeoutMs / urls.length);
        const isEchoAlone = doubt !== undefined && (await this.#carriesEchoAlone(exit, doubt));
        return isEchoAlone ? { outcome: 'failed', reason: 'echo-alone' } : { outcome: 'ok', ...answer };
      } catch (error) {
        reason = toReason(error, exit);
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

  /**
   * Customers choose their destinations, and any other one may be down: the exit is at fault only if a destination of the settings answers
   * by another route and not through this exit.
   */
  async #carriesEchoAlone(exit: Exit, { unreached }: Doubt): Promise<boolean> {
    const { checkDestinations, dialDestination, limits, ownRoute, workingExits } = this.settings;
    const settings: RequestSettings = { dial: dialDestination, running: this.#running };
    const answersThrough = (route: Exit, timeoutMs: number) =>
      checkDestinations.map((target) => answersTls(settings, route, target, timeoutMs));
    const reached = await Promise.all([
      ...answersThrough(exit, limits.exitCheckTimeoutMs),
      ...(unreached ? [accepts(settings, exit, unreached, limits.exitCheckTimeoutMs)] : []),
    ]);
    if (checkDestinations.length === 0 || reached.some(Boolean) || this.#isClosed) return false;
    const others = workingExits()
      .filter((other) => other !== exit)
      .slice(0, REFERENCE_EXITS_MAX);
    const answers = [ownRoute, ...others].flatMap((route) => answersThrough(route, limits.echoProbeMs));
    return (await Promise.all(answers)).some(Boolean);
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

/** What is told about an upstream in a private network: a port that is open, and one that is not, look the same unless it is a proxy's. */
const toldOfPrivate: ReadonlySet<FailureCause> = new Set<FailureCause>([
  'exit-unavailable',
  'upstream-auth-failed',
  'name-not-found',
  'dns-timeout',
  'descriptors-exhausted',
]);

function toReason(error: unknown, { isPrivate }: Exit): string {
  if (error instanceof EchoFailure) return error.reason;
  const { failure, code } = toDialFailure(error);
  if (isPrivate && !toldOfPrivate.has(failure)) return 'upstream-unreachable';
  return code === undefined ? failure : `${failure}:${code}`;
}
