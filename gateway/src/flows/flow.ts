import type { Credential } from '../connections/access.ts';
import type { Destination } from '../exits/refused-destinations.ts';
import type { Limits } from '../limits.ts';
import type { LinkedList, Place } from '../linked-list.ts';
import { Meter, type MeteredConnection, type Waiter } from '../metering/meter.ts';
import type { Metrics } from '../metrics.ts';
import type { PipeEnd } from '../pipe/pipe.ts';
import type { Host } from '../protocol/host.ts';

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

/** What a flow is counted in. */
export interface FlowConnection extends MeteredConnection {
  readonly id: string;
  readonly flows: LinkedList<Flow>;
  /** The flows over UDP among them. */
  associations: number;
  lastTunnelAt: number;
}

/** The client that has opened a flow. */
interface FlowLogin {
  readonly connection: FlowConnection;
  readonly credential: Credential;
}

/** What carries a flow. */
export interface Transport {
  /** Called once, when the flow ends. */
  close(reason: EndReason): void;
}

/** Told of the end of a flow, after its transport. */
export interface FlowRegistry {
  closed(flow: Flow, reason: EndReason): void;
}

interface FlowSettings {
  readonly limits: Pick<Limits, 'grantWaitMs' | 'tunnelIdleMs'>;
  readonly metrics: Pick<Metrics, 'byteTotals' | 'grantWaits' | 'grantWaitSeconds' | 'speedWaits'>;
}

/** One function for the timers of all flows. */
const checkIdle = (flow: Flow) => flow.checkIdle();

/**
 * One client flow, independent of its transport: its usage, its idle timeout and its end reason. There is one way to close
 * it, with a reason. It calls objects that live as long: functions for each flow would take more memory than the flow.
 */
export class Flow implements Waiter {
  readonly meter: Meter;
  readonly openedAt = performance.now();
  /** As text: an array of four bytes takes 250, and its host some more. */
  #destinationName: string | undefined;
  #destinationAddress: string | undefined;
  /** Among the flows of its connection. */
  place: Place<Flow> | undefined;
  /** It has an open or connecting socket to a destination; it may end before. */
  holdsSocket = true;
  #endReason: EndReason | undefined;
  #idleMs: number;
  #idleTimer: NodeJS.Timeout;

  /**
   * @param transport closed once when the flow ends: nothing is counted any more
   */
  constructor(
    readonly protocol: Protocol,
    readonly login: FlowLogin,
    private readonly transport: Transport,
    private readonly settings: FlowSettings,
    private readonly registry: FlowRegistry,
  ) {
    const { limits, metrics } = settings;
    this.meter = new Meter(login.connection, metrics.byteTotals(protocol), this);
    this.#idleMs = limits.tunnelIdleMs;
    this.#idleTimer = setTimeout(checkIdle, this.#idleMs, this);
  }

  /** Of a tunnel, once it is dialled. */
  get destination(): Destination | undefined {
    const bytes = this.#destinationAddress;
    if (bytes === undefined) return undefined;
    const address = Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
    const name = this.#destinationName;
    return { address, host: name === undefined ? { kind: 'address', bytes: address } : { kind: 'name', name } };
  }

  dialled({ host, address }: { readonly host: Host; readonly address: Uint8Array }): void {
    this.#destinationName = host.kind === 'name' ? host.name : undefined;
    this.#destinationAddress = String.fromCharCode(...address);
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
    this.transport.close(reason);
    this.registry.closed(this, reason);
  }

  get grantWaitMs(): number {
    return this.settings.limits.grantWaitMs;
  }

  slowed(): void {
    this.settings.metrics.speedWaits.inc();
  }

  grantWaitStarted(): void {
    this.settings.metrics.grantWaits.inc();
  }

  grantWaitFinished(seconds: number): void {
    this.settings.metrics.grantWaitSeconds.inc(seconds);
  }

  grantWaitTimedOut(): void {
    this.close('grant-timeout');
  }

  checkIdle(): void {
    const idleMs = performance.now() - Math.max(this.meter.lastUsedAt, this.openedAt);
    if (idleMs >= this.#idleMs) this.close('idle');
    else this.#rearmIdleTimer(this.#idleMs - idleMs);
  }

  #rearmIdleTimer(delayMs: number): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(checkIdle, delayMs, this);
  }
}
