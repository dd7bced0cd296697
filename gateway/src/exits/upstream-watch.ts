import type { FailureCause } from '../statuses.ts';

interface UpstreamWatchSettings {
  readonly checkMs: number;
  /** 0: the exit is never lost. */
  readonly lostAfterMs: number;
  /** @returns why the upstream does not work; undefined if it does */
  readonly probe: () => Promise<FailureCause | undefined>;
  /** Called when it stops working (with the cause), and when it works again. */
  readonly changed: (cause: FailureCause | undefined) => void;
  readonly now?: () => number;
  /** Between 0 and 1. */
  readonly random?: () => number;
}

/**
 * Checks whether an upstream proxy works, by connecting to it periodically. Failures of customers' tunnels do not count, because
 * customers choose the destinations and share the exit; their successes count.
 */
export class UpstreamWatch {
  #failure: FailureCause | undefined;
  #failingSince = 0;
  #failedAt = 0;
  #checkAt: number;
  #isChecking = false;
  readonly #now: () => number;
  readonly #random: () => number;

  constructor(private readonly settings: UpstreamWatchSettings) {
    this.#now = settings.now ?? (() => performance.now());
    this.#random = settings.random ?? Math.random;
    this.#checkAt = this.#nextCheck();
  }

  /** True if every check has failed for `lostAfterMs`. */
  get isLost(): boolean {
    const { lostAfterMs } = this.settings;
    return this.#failure !== undefined && lostAfterMs > 0 && this.#failedAt - this.#failingSince >= lostAfterMs;
  }

  /** Whether a check is due; `run` follows then. */
  get isDue(): boolean {
    return !this.#isChecking && this.#now() >= this.#checkAt;
  }

  async run(): Promise<void> {
    this.#isChecking = true;
    try {
      const cause = await this.settings.probe();
      if (cause === undefined) this.worked();
      else this.failed(cause);
    } finally {
      this.#isChecking = false;
      this.#checkAt = this.#nextCheck();
    }
  }

  worked(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.settings.changed(undefined);
  }

  failed(cause: FailureCause): void {
    this.#failedAt = this.#now();
    if (this.#failure === undefined) {
      this.#failingSince = this.#failedAt;
      this.settings.changed(cause);
    }
    this.#failure = cause;
  }

  get failure(): FailureCause | undefined {
    return this.#failure;
  }

  /** Random, so that many exits do not check at the same time. */
  #nextCheck(): number {
    return this.#now() + this.settings.checkMs * (0.5 + this.#random());
  }
}
