import type { Socket } from 'node:net';
import type { Connection } from './connection.ts';
import type { GatewayContext } from './context.ts';
import { DialAbort } from './exits/dial-abort.ts';
import { Meter } from './metering/meter.ts';
import type { Pipe, PipeEnd, StopMode } from './pipe/pipe.ts';
import type { Target } from './protocol/host.ts';
import { causeOf, type FailureCause, TunnelFailure } from './statuses.ts';

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

/** How a pipe is stopped. Whatever is not named here is cut at once, so that nothing cut looks complete. */
const stopModes: Partial<Record<EndReason, StopMode>> = {
  completed: 'close',
  'out-of-money': 'deliver',
  'grant-late': 'deliver',
};

/** One client flow, from its permission to its end. There is one way to close it, and it has a reason. */
export class Tunnel {
  readonly meter: Meter;
  readonly #openedAt = performance.now();
  readonly #dialAbort = new DialAbort();
  /** Until the pipe has it. */
  #dialled: Socket | undefined;
  #pipe: Pipe | undefined;
  #endReason: EndReason | undefined;
  #idleMs: number;
  #idleTimer: NodeJS.Timeout;

  constructor(
    private readonly context: GatewayContext,
    readonly connection: Connection,
    readonly protocol: Protocol,
  ) {
    const { limits, metrics } = context;
    this.meter = new Meter(connection.credit, metrics.bytesOf(protocol), {
      timeoutMs: limits.grantWaitMs,
      begun: () => metrics.grantWaits.inc(),
      over: (seconds) => metrics.grantWaitSeconds.inc(seconds),
      timedOut: () => this.close('grant-late'),
    });
    this.#idleMs = limits.tunnelIdleMs;
    this.#idleTimer = setTimeout(() => this.#checkIdle(), this.#idleMs);
    connection.tunnels.add(this);
    context.tunnels.add(this);
    context.exitSockets.add(this);
  }

  /** Undefined while the tunnel lives. */
  get endReason(): EndReason | undefined {
    return this.#endReason;
  }

  /** @throws TunnelFailure, and then the tunnel is closed */
  async dial(target: Target): Promise<Socket> {
    const begunAt = performance.now();
    const deadline = setTimeout(() => this.#dialAbort.abort(), this.context.limits.dialMs);
    try {
      const socket = await this.connection.exit.dial(target, this.#dialAbort);
      this.context.metrics.dialSeconds.observe((performance.now() - begunAt) / 1000);
      if (this.#endReason === undefined) return (this.#dialled = socket);
      socket.destroy();
    } catch (error) {
      this.close('dial-failed');
      if (this.#endReason === 'client-failed') throw new TunnelFailure('client-gone');
      throw error;
    } finally {
      clearTimeout(deadline);
    }
    throw new TunnelFailure(this.#endReason === 'client-failed' ? 'client-gone' : 'connection-terminated');
  }

  movedBy(pipe: Pipe): void {
    this.#dialled = undefined;
    if (this.#endReason !== undefined) pipe.stop('reset');
    else this.#pipe = pipe;
  }

  /** Its socket may outlive the tunnel, while the destination takes what was counted for it. */
  exitClosed(): void {
    this.context.exitSockets.delete(this);
  }

  /** One side has ended; what is left is usually short. */
  halfClosed(): void {
    this.#idleMs = this.context.limits.halfClosedIdleMs;
    this.#rearmIdleTimer(this.#idleMs);
  }

  close(reason: EndReason): void {
    if (this.#endReason !== undefined) return;
    this.#endReason = reason;
    clearTimeout(this.#idleTimer);
    this.meter.stop();
    if (this.#pipe) this.#pipe.stop(stopModes[reason] ?? 'reset');
    else {
      this.#dialAbort.abort();
      this.#dialled?.destroy();
      this.exitClosed();
    }
    this.connection.tunnels.delete(this);
    this.connection.lastTunnelAt = performance.now();
    this.context.tunnelClosed(this, reason);
    this.#log(reason);
  }

  #log(reason: EndReason): void {
    const { toExit, toClient } = this.meter.usedBytes;
    const durationMs = Math.round(performance.now() - this.#openedAt);
    const facts = { connectionId: this.connection.id, protocol: this.protocol, reason, toExit, toClient, durationMs };
    this.context.log.debug(facts, 'Tunnel ended');
  }

  #checkIdle(): void {
    const idleMs = performance.now() - Math.max(this.meter.lastUsedAt, this.#openedAt);
    if (idleMs >= this.#idleMs) this.close('idle');
    else this.#rearmIdleTimer(this.#idleMs - idleMs);
  }

  #rearmIdleTimer(delayMs: number): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.#checkIdle(), delayMs);
  }
}

/**
 * Opens a tunnel for an authenticated client and dials its destination. A client that goes away ends the dial.
 * @throws TunnelFailure
 */
export async function openTunnel(
  context: GatewayContext,
  connection: Connection,
  protocol: Protocol,
  { target, client }: { readonly target: Target | undefined; readonly client: Socket },
): Promise<{ tunnel: Tunnel; exit: Socket }> {
  try {
    if (client.destroyed) throw new TunnelFailure('client-gone');
    const refusal = refuse(context, connection);
    if (refusal) throw new TunnelFailure(refusal);
    if (!target) throw new TunnelFailure('name-unknown');
    const tunnel = new Tunnel(context, connection, protocol);
    const gone = () => tunnel.close('client-failed');
    client.once('close', gone);
    const exit = await tunnel.dial(target).finally(() => client.off('close', gone));
    return { tunnel, exit };
  } catch (error) {
    const cause = causeOf(error);
    if (cause === 'descriptors-exhausted') context.descriptors.exhausted();
    context.log.info({ connectionId: connection.id, protocol, cause }, 'Tunnel refused');
    throw error;
  }
}

function refuse({ isDraining, exitSockets, limits }: GatewayContext, connection: Connection): FailureCause | undefined {
  if (isDraining) return 'draining';
  if (connection.credit.isSpent) return 'no-credit';
  if (exitSockets.size >= limits.tunnelsPerNode) return 'node-full';
  const isWithinLimits = connection.tunnels.size < limits.tunnelsPerConnection && connection.newTunnels.take();
  return isWithinLimits ? undefined : 'connection-limit';
}
