import type { Logger } from 'pino';
import type { Connection, Login } from '../connections/connection.ts';
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
  admit({ connection, credential }: Login): void {
    const { limits } = this.settings;
    const { access, credit, flows, newTunnels } = connection;
    if (this.#isDraining) throw new TunnelFailure('draining');
    // Access may have changed since the login.
    if (!access.allows(credential)) throw new TunnelFailure('credentials-wrong');
    if (credit.isSpent) throw new TunnelFailure(credit.reason === 'CAP' ? 'cap-reached' : 'no-credit');
    if (this.#holdingSockets.size >= limits.tunnelsPerNode) throw new TunnelFailure('node-full');
    const isWithinLimits = flows.size < limits.tunnelsPerConnection && newTunnels.take();
    if (!isWithinLimits) throw new TunnelFailure('connection-limit');
  }

  /** @param closeTransport closes the transport of the flow; called once */
  open({ connection, credential }: Login, protocol: Protocol, closeTransport: (reason: EndReason) => void): Flow {
    const flow = new Flow(protocol, credential, connection.credit, this.settings, (reason) => {
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
