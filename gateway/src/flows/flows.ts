import type { Logger } from 'pino';
import type { Connection } from '../connections/connection.ts';
import type { Limits } from '../limits.ts';
import type { Metrics } from '../metrics.ts';
import { TunnelFailure } from '../statuses.ts';
import { type EndReason, Flow, type Protocol } from './flow.ts';

interface FlowsSettings {
  readonly limits: Pick<Limits, 'tunnelsPerNode' | 'tunnelsPerConnection' | 'grantWaitMs' | 'tunnelIdleMs'>;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** All flows of this node: admission and draining. */
export class Flows {
  readonly #open = new Set<Flow>();
  /** Flows with an open or connecting socket to a destination, including ended flows that still deliver. */
  readonly #holdingSockets = new Set<Flow>();
  #isDraining = false;
  #drained: (() => void) | undefined;

  constructor(private readonly settings: FlowsSettings) {}

  get size(): number {
    return this.#open.size;
  }

  /** @throws TunnelFailure if no new flow may start on this connection now */
  admit({ credit, flows, newTunnels }: Connection): void {
    const { limits } = this.settings;
    if (this.#isDraining) throw new TunnelFailure('draining');
    if (credit.isSpent) throw new TunnelFailure('no-credit');
    if (this.#holdingSockets.size >= limits.tunnelsPerNode) throw new TunnelFailure('node-full');
    const isWithinLimits = flows.size < limits.tunnelsPerConnection && newTunnels.take();
    if (!isWithinLimits) throw new TunnelFailure('connection-limit');
  }

  /** @param closeTransport closes the transport of the flow; called once */
  open(connection: Connection, protocol: Protocol, closeTransport: (reason: EndReason) => void): Flow {
    const flow = new Flow(protocol, connection.credit, this.settings, (reason) => {
      closeTransport(reason);
      this.#closed(flow, connection, reason);
    });
    connection.flows.add(flow);
    this.#open.add(flow);
    this.#holdingSockets.add(flow);
    return flow;
  }

  /** The flow's socket is closed. This may be after its end, because counted bytes are still delivered. */
  released(flow: Flow): void {
    this.#holdingSockets.delete(flow);
  }

  /** Refuses new flows. Resolves when all flows have ended, or after this time. */
  async drain(drainMs: number): Promise<void> {
    this.#isDraining = true;
    if (this.#open.size === 0 || drainMs <= 0) return;
    this.settings.log.info({ tunnels: this.#open.size, drainMs }, 'Waiting for tunnels to finish');
    await new Promise<void>((fulfil) => {
      const timer = setTimeout(fulfil, drainMs);
      this.#drained = () => {
        clearTimeout(timer);
        fulfil();
      };
    });
  }

  /** Resolves a running `drain` now. */
  abortDrain(): void {
    this.#drained?.();
  }

  #closed(flow: Flow, connection: Connection, reason: EndReason): void {
    connection.flows.delete(flow);
    connection.lastTunnelAt = performance.now();
    this.#open.delete(flow);
    this.settings.metrics.tunnelEnds.inc({ reason });
    if (this.#open.size === 0) this.#drained?.();
    const { protocol, meter, openedAt } = flow;
    const durationMs = Math.round(performance.now() - openedAt);
    const fields = { connectionId: connection.id, protocol, reason, ...meter.usedBytes, durationMs };
    this.settings.log.debug(fields, 'Tunnel ended');
  }
}
