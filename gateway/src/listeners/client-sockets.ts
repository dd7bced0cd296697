import { networkLimits } from '@cellhop/contract/network';
import type { Connection } from '../connections/connection.ts';
import type { Limits } from '../limits.ts';
import { TunnelFailure } from '../statuses.ts';
import { Group, Groups, Membership } from './client-groups.ts';
import { type ClientEvents, ClientSocket } from './client-socket.ts';
import type { ClientTransport } from './client-transport.ts';
import { HalfOpenGroup, HalfOpenSockets } from './half-open.ts';
import { KnownNetworks } from './known-networks.ts';

type SocketLimits = Pick<
  Limits,
  | 'handshakeMs'
  | 'nextRequestMs'
  | 'lingerMs'
  | 'flushMs'
  | 'halfOpenPerNetwork'
  | 'halfOpenPerNode'
  | 'clientSocketsPerConnection'
  | 'clientSocketsPerNetwork'
  | 'clientSocketsPerNode'
>;

/** The limits that can close sockets. */
export type SocketLimit = Extract<keyof SocketLimits, `${string}Per${string}`>;

interface SocketObserver {
  closedFor(limit: SocketLimit): void;
  authenticatedAfter(seconds: number): void;
}

/**
 * Counts and bounds all client sockets of this node; no other code accepts one. If a limit is reached, a new socket evicts the one of the same group that has waited
 * longest for its client; of those without valid credentials, `half-open.ts` chooses. So sockets that clients leave open are lost, but lock
 * out no other client. Sockets with a tunnel or a running request are never evicted; if there are no others, the new socket is refused.
 */
export class ClientSockets {
  readonly #all = new Group<ClientSocket>();
  readonly #halfOpen = new HalfOpenSockets<ClientSocket>();
  readonly #byNetwork = new Groups(() => new Group<ClientSocket>());
  readonly #halfOpenByNetwork = new Groups(() => new HalfOpenGroup<ClientSocket>());
  readonly #byConnection = new Groups(() => new Group<ClientSocket>());
  /** Of all client sockets, because an object for each would cost more. */
  readonly #events: ClientEvents = {
    authenticated: (client, connection) => this.#authenticated(client, connection),
    changed: (client) => this.#changed(client),
    receivedData: (client) => this.#receivedData(client),
    closed: (client) => this.#remove(client),
  };

  constructor(
    private readonly limits: SocketLimits,
    private readonly observer: SocketObserver,
    private readonly networks = new KnownNetworks(),
  ) {}

  get open(): number {
    return this.#all.size;
  }

  /** Sockets that may be evicted. */
  get waiting(): number {
    return this.#all.waiting.size;
  }

  /** Sockets without valid credentials. */
  get halfOpen(): number {
    return this.#halfOpen.size;
  }

  /** Networks where a client has authenticated. */
  get knownNetworks(): number {
    return this.networks.size;
  }

  /** @returns undefined if a limit leaves no room */
  accept(transport: ClientTransport): ClientSocket | undefined {
    const client = new ClientSocket(transport, this.limits, this.#events);
    const { network, networks } = client;
    const hasRoom =
      this.#makeRoomInAll('halfOpenPerNetwork', this.#halfOpenByNetwork, networks) &&
      this.#makeRoomInAll('clientSocketsPerNetwork', this.#byNetwork, networks) &&
      this.#makeRoom('halfOpenPerNode', this.#halfOpen) &&
      this.#makeRoom('clientSocketsPerNode', this.#all);
    if (!hasRoom) {
      client.reset();
      return undefined;
    }
    const knownConnectionId = this.networks.connectionId(network);
    const groups = networks.map((name) => this.#byNetwork.open(name));
    client.membership = new Membership(client, this.#all, groups, {
      node: this.#halfOpen.add(client, knownConnectionId),
      networks: networks.map((name) => this.#halfOpenByNetwork.open(name).add(client)),
      knownConnectionId,
    });
    return client;
  }

  /**
   * Closes all sockets without a tunnel or a running request. Those in their handshake get the reply of their protocol.
   * @returns when they are closed
   */
  async closeWaiting(): Promise<void> {
    const waiting = [...this.#all.waiting];
    const closed = waiting.map(({ socket }) => new Promise<void>((fulfil) => socket.once('close', () => fulfil())));
    for (const client of waiting) client.interrupt('draining');
    await Promise.all(closed);
  }

  #makeRoomInAll(
    limit: SocketLimit,
    groups: Groups<Group<ClientSocket>> | Groups<HalfOpenGroup<ClientSocket>>,
    networks: readonly string[],
  ): boolean {
    return networkLimits(networks, this.limits[limit]).every(({ name, limit: max }) =>
      this.#makeRoom(limit, groups.get(name), max),
    );
  }

  #makeRoom(
    limit: SocketLimit,
    group: { readonly size: number; readonly first: ClientSocket | undefined } | undefined,
    max = this.limits[limit],
  ): boolean {
    if ((group?.size ?? 0) < max) return true;
    this.observer.closedFor(limit);
    const evicted = group?.first;
    if (!evicted) return false;
    this.#remove(evicted); // Its `close` event comes later.
    evicted.reset();
    return true;
  }

  #authenticated(client: ClientSocket, { id, lastRefusal }: Connection): void {
    const { membership } = client;
    if (membership === undefined) throw new TunnelFailure('client-closed');
    const before = membership.connectionId;
    if (before === id) return;
    if (!this.#makeRoom('clientSocketsPerConnection', this.#byConnection.get(id))) {
      lastRefusal.record('connection-limit');
      throw new TunnelFailure('connection-limit');
    }
    this.#leaveHalfOpen(client, membership);
    if (before === undefined) this.observer.authenticatedAfter((performance.now() - client.acceptedAt) / 1000);
    this.#leaveConnection(membership);
    membership.enterConnection(id, this.#byConnection.open(id));
    this.networks.authenticated(client.network, id);
  }

  #receivedData({ membership }: ClientSocket): void {
    if (!membership?.halfOpen) return;
    const { node, networks } = membership.halfOpen;
    node.group.receivedData(node);
    for (const seat of networks) seat.group.receivedData(seat);
  }

  #changed({ membership }: ClientSocket): void {
    membership?.update();
  }

  /** An evicted socket is no longer counted, although its `close` event comes later. */
  #remove(client: ClientSocket): void {
    const { membership } = client;
    if (membership === undefined) return;
    client.membership = undefined;
    this.#leaveHalfOpen(client, membership);
    this.#leaveConnection(membership);
    membership.leave();
    for (const [index, group] of membership.networks.entries()) this.#byNetwork.left(client.networks[index]!, group);
  }

  #leaveConnection(membership: Membership<ClientSocket>): void {
    const { connectionId } = membership;
    const group = membership.leaveConnection();
    if (group && connectionId !== undefined) this.#byConnection.left(connectionId, group);
  }

  #leaveHalfOpen(client: ClientSocket, membership: Membership<ClientSocket>): void {
    if (!membership.halfOpen) return;
    const { node, networks, knownConnectionId } = membership.halfOpen;
    membership.halfOpen = undefined;
    this.#halfOpen.remove(node, knownConnectionId);
    for (const [index, seat] of networks.entries()) {
      seat.group.remove(seat);
      this.#halfOpenByNetwork.left(client.networks[index]!, seat.group);
    }
  }
}
