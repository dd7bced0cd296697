import type { Credential } from '../connections/access.ts';
import type { Destination } from '../exits/refused-destinations.ts';
import type { Limits } from '../limits.ts';
import { Meter, type MeteredConnection } from '../metering/meter.ts';
import type { Metrics } from '../metrics.ts';
import type { PipeEnd } from '../pipe/pipe.ts';

export type Protocol = 'socks4' | 'socks5' | 'socks5-udp' | 'http-connect' | 'http-request';

export type EndReason =
  | PipeEnd
  | 'dial-failed'
  | 'out-of-money'
  | 'cap-reached'
  | 'grant-timeout'
  | 'connection-ended'
  | 'password-changed'
  | 'address-removed'
  | 'address-changed'
  | 'destination-refused'
  | 'idle'
  | 'shutdown';

/** @param reason why the control plane grants nothing more */
export const creditEndReason = (reason: string | undefined): EndReason =>
  reason === 'CAP' ? 'cap-reached' : 'out-of-money';

interface FlowSettings {
  readonly limits: Pick<Limits, 'grantWaitMs' | 'tunnelIdleMs'>;
  readonly metrics: Pick<Metrics, 'byteTotals' | 'grantWaits' | 'grantWaitSeconds' | 'speedWaits'>;
}

/**
 * One client flow, independent of its transport: its usage, its idle timeout and its end reason. There is one way to close
 * it, with a reason.
 */
export class Flow {
  readonly meter: Meter;
  readonly openedAt = performance.now();
  /** Of a tunnel, once it is dialled. */
  destination: Destination | undefined;
  #endReason: EndReason | undefined;
  #idleMs: number;
  #idleTimer: NodeJS.Timeout;

  /**
   * @param credential how the client that opened the flow authenticated
   * @param closed called once when the flow ends: nothing is counted any more, and its transport must be closed
   */
  constructor(
    readonly protocol: Protocol,
    readonly credential: Credential,
    connection: MeteredConnection,
    { limits, metrics }: FlowSettings,
    private readonly closed: (reason: EndReason) => void,
  ) {
    this.meter = new Meter(connection, metrics.byteTotals(protocol), {
      timeoutMs: limits.grantWaitMs,
      slowed: () => metrics.speedWaits.inc(),
      started: () => metrics.grantWaits.inc(),
      finished: (seconds) => metrics.grantWaitSeconds.inc(seconds),
      timedOut: () => this.close('grant-timeout'),
    });
    this.#idleMs = limits.tunnelIdleMs;
    this.#idleTimer = setTimeout(() => this.#checkIdle(), this.#idleMs);
  }

  /** Undefined while the flow is open. */
  get endReason(): EndReason | undefined {
    return this.#endReason;
  }

  /** Replaces the idle timeout. */
  setIdleTimeout(idleMs: number): void {
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
