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

/** All flows of this node: which may begin, and how the last ones end. */
export class Flows {
  readonly #open = new Set<Flow>();
  /** Those that hold a socket to their destination, or dial one; a flow that has ended may be among them. */
  readonly #holdingSockets = new Set<Flow>();
  #isDraining = false;
  #drained: (() => void) | undefined;

  constructor(private readonly settings: FlowsSettings) {}

  get size(): number {
    return this.#open.size;
  }

  /** @throws TunnelFailure if no further flow may begin on this connection now */
  admit({ credit, flows, newTunnels }: Connection): void {
    const { limits } = this.settings;
    if (this.#isDraining) throw new TunnelFailure('draining');
    if (credit.isSpent) throw new TunnelFailure('no-credit');
    if (this.#holdingSockets.size >= limits.tunnelsPerNode) throw new TunnelFailure('node-full');
    const isWithinLimits = flows.size < limits.tunnelsPerConnection && newTunnels.take();
    if (!isWithinLimits) throw new TunnelFailure('connection-limit');
  }

  /** @param cut closes what carries the flow; called once */
  open(connection: Connection, protocol: Protocol, cut: (reason: EndReason) => void): Flow {
    const flow = new Flow(protocol, connection.credit, this.settings, (reason) => {
      cut(reason);
      this.#closed(flow, connection, reason);
    });
    connection.flows.add(flow);
    this.#open.add(flow);
    this.#holdingSockets.add(flow);
    return flow;
  }

  /** Its sockets are closed, which may be later than its end: the destination takes what was counted for it. */
  released(flow: Flow): void {
    this.#holdingSockets.delete(flow);
  }

  /** No flow begins any more. Fulfilled when all have ended, or after this time. */
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

  /** A running `drain` waits no longer. */
  cutDrain(): void {
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
    const facts = { connectionId: connection.id, protocol, reason, ...meter.usedBytes, durationMs };
    this.settings.log.debug(facts, 'Tunnel ended');
  }
}
