import type { Limits } from '../limits.ts';
import type { Credit } from '../metering/credit.ts';
import { Meter } from '../metering/meter.ts';
import type { Metrics } from '../metrics.ts';
import type { PipeEnd } from '../pipe/pipe.ts';

export type Protocol = 'socks5' | 'http-connect' | 'http-request';

export type EndReason =
  | PipeEnd
  | 'dial-failed'
  | 'out-of-money'
  | 'grant-late'
  | 'connection-ended'
  | 'password-changed'
  | 'idle'
  | 'shutdown';

interface FlowSettings {
  readonly limits: Pick<Limits, 'grantWaitMs' | 'tunnelIdleMs'>;
  readonly metrics: Pick<Metrics, 'bytesOf' | 'grantWaits' | 'grantWaitSeconds'>;
}

/**
 * One client flow, whatever carries it, from its permission to its end: what it has used, how long it may be idle, and why
 * it has ended. There is one way to close it, and it has a reason.
 */
export class Flow {
  readonly meter: Meter;
  readonly openedAt = performance.now();
  #endReason: EndReason | undefined;
  #idleMs: number;
  #idleTimer: NodeJS.Timeout;

  /** @param closed nothing is counted any more, and whatever carries the flow has to be closed; called once */
  constructor(
    readonly protocol: Protocol,
    credit: Credit,
    { limits, metrics }: FlowSettings,
    private readonly closed: (reason: EndReason) => void,
  ) {
    this.meter = new Meter(credit, metrics.bytesOf(protocol), {
      timeoutMs: limits.grantWaitMs,
      begun: () => metrics.grantWaits.inc(),
      over: (seconds) => metrics.grantWaitSeconds.inc(seconds),
      timedOut: () => this.close('grant-late'),
    });
    this.#idleMs = limits.tunnelIdleMs;
    this.#idleTimer = setTimeout(() => this.#checkIdle(), this.#idleMs);
  }

  /** Undefined while the flow lives. */
  get endReason(): EndReason | undefined {
    return this.#endReason;
  }

  /** From now on it may be idle for so long. */
  limitIdle(idleMs: number): void {
    if (this.#endReason !== undefined) return;
    this.#idleMs = idleMs;
    this.#rearmIdleTimer(idleMs);
  }

  close(reason: EndReason): void {
    if (this.#endReason !== undefined) return;
    this.#endReason = reason;
    clearTimeout(this.#idleTimer);
    this.meter.stop();
    this.closed(reason);
  }

  #checkIdle(): void {
    const idleMs = performance.now() - Math.max(this.meter.lastUsedAt, this.openedAt);
    if (idleMs >= this.#idleMs) this.close('idle');
    else this.#rearmIdleTimer(this.#idleMs - idleMs);
  }

  #rearmIdleTimer(delayMs: number): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.#checkIdle(), delayMs);
  }
}
