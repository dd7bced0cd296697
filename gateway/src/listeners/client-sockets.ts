import { networkLimits } from '@cellhop/contract/network';
import type { Connection } from '../connections/connection.ts';
import type { Limits } from '../limits.ts';
import { TunnelFailure } from '../statuses.ts';
import { ClientSocket } from './client-socket.ts';
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

/** Sockets that share a limit. Each is added once and removed once. */
class Group {
  #size = 0;
  /** Ordered by waiting time, the longest first. */
  readonly #waiting = new Set<ClientSocket>();

  get size(): number {
    return this.#size;
  }

  get waiting(): ReadonlySet<ClientSocket> {
    return this.#waiting;
  }

  /** The socket that has to leave for a new one: the one that waits longest. */
  get first(): ClientSocket | undefined {
    for (const client of this.#waiting) return client;
    return undefined;
  }

  add(client: ClientSocket): void {
    this.#size += 1;
    this.update(client);
  }

  remove(client: ClientSocket): void {
    this.#size -= 1;
    this.#waiting.delete(client);
  }

  update(client: ClientSocket): void {
    if (client.isWaiting) this.#waiting.add(client);
    else this.#waiting.delete(client);
  }
}

/** One group per network or per connection; empty groups are removed. */
class Groups<Kind extends { readonly size: number; remove(client: ClientSocket): void }> {
  readonly #byKey = new Map<string, Kind>();

  constructor(private readonly create: () => Kind) {}

  /** Undefined if it has no members. */
  get(key: string): Kind | undefined {
    return this.#byKey.get(key);
  }

  /** The group with this key, to which a member is added. */
  open(key: string): Kind {
    let group = this.#byKey.get(key);
    if (group === undefined) this.#byKey.set(key, (group = this.create()));
    return group;
  }

  remove(key: string, client: ClientSocket): void {
    const group = this.#byKey.get(key);
    group?.remove(client);
    if (group?.size === 0) this.#byKey.delete(key);
  }
}

interface Membership {
  isHalfOpen: boolean;
  /** The connection with whose credentials the client authenticated last. */
  connectionId: string | undefined;
}

/**
 * Counts and bounds all client sockets of this node; no other code accepts one. If a limit is reached, a new socket evicts the one of the same group that has waited
 * longest for its client; of those without valid credentials, `half-open.ts` chooses. So sockets that clients leave open are lost, but lock
 * out no other client. Sockets with a tunnel or a running request are never evicted; if there are no others, the new socket is refused.
 */
export class ClientSockets {
  readonly #all = new Group();
  readonly #halfOpen = new HalfOpenSockets();
  readonly #byNetwork = new Groups(() => new Group());
  readonly #halfOpenByNetwork = new Groups(() => new HalfOpenGroup());
  readonly #byConnection = new Groups(() => new Group());
  /** The memberships of all counted sockets. An evicted socket is no longer counted, although its `close` event comes later. */
  readonly #memberships = new Map<ClientSocket, Membership>();

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
    const client = new ClientSocket(transport, this.limits, {
      authenticated: (client, connection) => this.#authenticated(client, connection),
      changed: (client) => this.#changed(client),
      receivedData: (client) => this.#receivedData(client),
      closed: (client) => this.#remove(client),
    });
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
    this.#memberships.set(client, { isHalfOpen: true, connectionId: undefined });
    this.#all.add(client);
    this.#halfOpen.add(client, this.networks.connectionId(network));
    for (const name of networks) {
      this.#byNetwork.open(name).add(client);
      this.#halfOpenByNetwork.open(name).add(client);
    }
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
    groups: Groups<Group> | Groups<HalfOpenGroup>,
    networks: readonly string[],
  ): boolean {
    return networkLimits(networks, this.limits[limit]).every(({ name, limit: max }) =>
      this.#makeRoom(limit, groups.get(name), max),
    );
  }

  #makeRoom(
    limit: SocketLimit,
    group: Group | HalfOpenGroup | HalfOpenSockets | undefined,
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

  #authenticated(client: ClientSocket, { id: connectionId, lastRefusal }: Connection): void {
    const membership = this.#memberships.get(client);
    if (membership === undefined) throw new TunnelFailure('client-closed');
    const before = membership.connectionId;
    if (before === connectionId) return;
    if (!this.#makeRoom('clientSocketsPerConnection', this.#byConnection.get(connectionId))) {
      lastRefusal.record('connection-limit');
      throw new TunnelFailure('connection-limit');
    }
    this.#removeHalfOpen(client, membership);
    if (before === undefined) this.observer.authenticatedAfter((performance.now() - client.acceptedAt) / 1000);
    else this.#byConnection.remove(before, client);
    membership.connectionId = connectionId;
    this.#byConnection.open(connectionId).add(client);
    this.networks.authenticated(client.network, connectionId);
  }

  #receivedData(client: ClientSocket): void {
    if (!this.#memberships.get(client)?.isHalfOpen) return;
    this.#halfOpen.receivedData(client);
    for (const name of client.networks) this.#halfOpenByNetwork.get(name)?.receivedData(client);
  }

  #changed(client: ClientSocket): void {
    const membership = this.#memberships.get(client);
    if (membership === undefined) return;
    this.#all.update(client);
    for (const name of client.networks) this.#byNetwork.get(name)?.update(client);
    if (membership.connectionId !== undefined) this.#byConnection.get(membership.connectionId)?.update(client);
  }

  #remove(client: ClientSocket): void {
    const membership = this.#memberships.get(client);
    if (membership === undefined) return;
    this.#memberships.delete(client);
    this.#removeHalfOpen(client, membership);
    this.#all.remove(client);
    for (const name of client.networks) this.#byNetwork.remove(name, client);
    if (membership.connectionId !== undefined) this.#byConnection.remove(membership.connectionId, client);
  }

  #removeHalfOpen(client: ClientSocket, membership: Membership): void {
    if (!membership.isHalfOpen) return;
    membership.isHalfOpen = false;
    this.#halfOpen.remove(client);
    for (const name of client.networks) this.#halfOpenByNetwork.remove(name, client);
  }
}
