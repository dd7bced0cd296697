import type { Logger } from 'pino';
import type { Connection, Login } from '../connections/connection.ts';
import { flowDescriptors } from '../descriptors.ts';
import type { Limits } from '../limits.ts';
import type { Metrics } from '../metrics.ts';
import { TunnelFailure } from '../statuses.ts';
import { type FlowCounts, isWithinFairShare } from './fair-share.ts';
import { type EndReason, Flow, type FlowConnection, type FlowRegistry, type Protocol, type Transport } from './flow.ts';

interface FlowsSettings {
  readonly limits: Limits;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** The number of sockets of clients. */
  readonly clientSockets: () => number;
}

const TUNNEL: FlowCounts = { tunnels: 1, associations: 0 };
const ASSOCIATION: FlowCounts = { tunnels: 1, associations: 1 };

/** All flows of this node: admission and draining. */
export class Flows implements FlowRegistry {
  #open = 0;
  /** Flows with an open or connecting socket to a destination, including ended flows that still deliver. */
  #holdingSockets = 0;
  #associations = 0;
  /** Connections with an open flow. */
  #connections = 0;
  #isDraining = false;
  #drained: (() => void) | undefined;

  constructor(private readonly settings: FlowsSettings) {}

  get size(): number {
    return this.#open;
  }

  /** UDP associations among the flows. */
  get associations(): number {
    return this.#associations;
  }

  /** @throws TunnelFailure if no new tunnel may start on this connection now */
  admit(login: Login): void {
    this.#admit(login, TUNNEL);
  }

  /** @throws TunnelFailure if no new UDP association may start on this connection now */
  admitAssociation(login: Login): void {
    const { limits } = this.settings;
    if (login.connection.associations >= limits.associationsPerConnection) throw new TunnelFailure('connection-limit');
    if (this.#associations >= limits.associationsPerNode) throw new TunnelFailure('node-full');
    this.#admit(login, ASSOCIATION);
  }

  #admit({ connection, credential }: Login, flow: FlowCounts): void {
    const { limits } = this.settings;
    const { access, credit, flows, rates } = connection;
    const tunnelsMax = Math.min(limits.tunnelsPerConnection, connection.limits.tunnels);
    if (this.#isDraining) throw new TunnelFailure('draining');
    // Access may have changed since the login.
    if (!access.allows(credential)) throw new TunnelFailure('invalid-credentials');
    if (credit.isSpent) throw new TunnelFailure(credit.reason === 'CAP' ? 'cap-reached' : 'no-credit');
    if (this.#holdingSockets >= limits.tunnelsPerNode) throw new TunnelFailure('node-full');
    if (!this.#isFair(connection, flow)) throw new TunnelFailure('fair-share-exceeded');
    const isWithinLimits = flows.size < tunnelsMax && rates.newTunnels.take();
    if (!isWithinLimits) throw new TunnelFailure('connection-limit');
  }

  #isFair({ flows, associations }: Connection, flow: FlowCounts): boolean {
    const { limits, clientSockets } = this.settings;
    const node = { tunnels: this.#holdingSockets, associations: this.#associations };
    return isWithinFairShare(limits, flow, {
      node,
      own: { tunnels: flows.size, associations },
      connections: this.#connections + (flows.size === 0 ? 1 : 0),
      descriptors: clientSockets() + flowDescriptors(node),
    });
  }

  open(login: Login, protocol: Protocol, transport: Transport): Flow {
    const { connection } = login;
    const flow = new Flow(protocol, login, transport, this.settings, this);
    if (connection.flows.size === 0) this.#connections += 1;
    flow.place = connection.flows.add(flow);
    this.#countAssociation(connection, flow, 1);
    this.#open += 1;
    this.#holdingSockets += 1;
    return flow;
  }

  /** The flow's socket is closed. This may be after its end, because counted bytes are still delivered. */
  released(flow: Flow): void {
    if (!flow.holdsSocket) return;
    flow.holdsSocket = false;
    this.#holdingSockets -= 1;
  }

  /** Refuses new flows. Resolves when all flows have ended, or after this time. */
  async drain(drainMs: number): Promise<void> {
    this.#isDraining = true;
    if (this.#open === 0 || drainMs <= 0) return;
    this.settings.log.info({ tunnels: this.#open, drainMs }, 'Waiting for tunnels to finish');
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

  /** Called by the flow. */
  closed(flow: Flow, reason: EndReason): void {
    const { connection } = flow.login;
    if (flow.place) connection.flows.remove(flow.place);
    if (connection.flows.size === 0) this.#connections -= 1;
    this.#countAssociation(connection, flow, -1);
    connection.lastTunnelAt = performance.now();
    this.#open -= 1;
    this.settings.metrics.tunnelEnded(reason);
    if (this.#open === 0) this.#drained?.();
    const { protocol, meter, openedAt } = flow;
    const durationMs = Math.round(performance.now() - openedAt);
    const fields = { connectionId: connection.id, protocol, reason, ...meter.usedBytes, durationMs };
    this.settings.log.debug(fields, 'Tunnel ended');
  }

  #countAssociation(connection: FlowConnection, { protocol }: Flow, change: 1 | -1): void {
    if (protocol !== 'socks5-udp') return;
    connection.associations += change;
    this.#associations += change;
  }
}
