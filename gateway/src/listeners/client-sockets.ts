import type { Socket } from 'node:net';
import type { Limits } from '../limits.ts';
import { TunnelFailure } from '../statuses.ts';
import { ClientSocket } from './client-socket.ts';

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

/** Sockets that share a limit. */
class Group {
  readonly #members = new Set<ClientSocket>();
  /** Ordered by waiting time, the longest first. */
  readonly #waiting = new Set<ClientSocket>();

  get size(): number {
    return this.#members.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get members(): Iterable<ClientSocket> {
    return this.#members;
  }

  get longestWaiting(): ClientSocket | undefined {
    for (const client of this.#waiting) return client;
    return undefined;
  }

  join(client: ClientSocket): void {
    this.#members.add(client);
    this.update(client);
  }

  leave(client: ClientSocket): void {
    this.#members.delete(client);
    this.#waiting.delete(client);
  }

  update(client: ClientSocket): void {
    if (!client.isWaiting) this.#waiting.delete(client);
    else if (this.#members.has(client)) this.#waiting.add(client);
  }
}

/** One group per network or per connection; empty groups are removed. */
class Groups {
  readonly #byKey = new Map<string, Group>();

  of(key: string): Group {
    return this.#byKey.get(key) ?? new Group();
  }

  join(key: string, client: ClientSocket): void {
    const group = this.of(key);
    group.join(client);
    this.#byKey.set(key, group);
  }

  leave(key: string, client: ClientSocket): void {
    const group = this.of(key);
    group.leave(client);
    if (group.size === 0) this.#byKey.delete(key);
  }
}

/**
 * Counts and bounds all client sockets of this node. If a limit is reached, a new socket evicts the one of the same group
 * that has waited longest for its client. So sockets that clients leave open are lost, but lock out nobody. Sockets with a
 * tunnel or a running request are never evicted; if there are no others, the new socket is refused.
 */
export class ClientSockets {
  readonly #all = new Group();
  readonly #halfOpen = new Group();
  readonly #ofNetworks = new Groups();
  readonly #halfOpenOfNetworks = new Groups();
  readonly #ofConnections = new Groups();
  /** The connection with whose credentials a client authenticated last. */
  readonly #connectionIds = new Map<ClientSocket, string>();

  constructor(
    private readonly limits: SocketLimits,
    private readonly observer: SocketObserver,
  ) {}

  get open(): number {
    return this.#all.size;
  }

  /** Sockets that may be evicted. */
  get waiting(): number {
    return this.#all.waiting;
  }

  /** Sockets without valid credentials. */
  get halfOpen(): number {
    return this.#halfOpen.size;
  }

  /** @returns undefined if a limit leaves no room */
  accept(socket: Socket): ClientSocket | undefined {
    const client = new ClientSocket(socket, this.limits, {
      authenticated: (client, { id }) => this.#authenticated(client, id),
      changed: (client) => this.#changed(client),
      closed: (client) => this.#leave(client),
    });
    const { network } = client;
    const hasRoom =
      this.#makeRoom('halfOpenPerNetwork', this.#halfOpenOfNetworks.of(network)) &&
      this.#makeRoom('clientSocketsPerNetwork', this.#ofNetworks.of(network)) &&
      this.#makeRoom('halfOpenPerNode', this.#halfOpen) &&
      this.#makeRoom('clientSocketsPerNode', this.#all);
    if (!hasRoom) {
      client.reset();
      return undefined;
    }
    this.#all.join(client);
    this.#halfOpen.join(client);
    this.#ofNetworks.join(network, client);
    this.#halfOpenOfNetworks.join(network, client);
    return client;
  }

  /** Closes all sockets without a tunnel or a running request. */
  closeWaiting(): void {
    for (const client of this.#all.members) if (client.isWaiting) client.socket.destroy();
  }

  #makeRoom(limit: SocketLimit, group: Group): boolean {
    if (group.size < this.limits[limit]) return true;
    this.observer.closedFor(limit);
    const evicted = group.longestWaiting;
    if (!evicted) return false;
    this.#leave(evicted); // Its `close` event comes later.
    evicted.reset();
    return true;
  }

  #authenticated(client: ClientSocket, connectionId: string): void {
    const before = this.#connectionIds.get(client);
    if (before === connectionId) return;
    if (!this.#makeRoom('clientSocketsPerConnection', this.#ofConnections.of(connectionId)))
      throw new TunnelFailure('connection-limit');
    this.#leaveHalfOpen(client);
    if (before === undefined) this.observer.authenticatedAfter((performance.now() - client.acceptedAt) / 1000);
    else this.#ofConnections.leave(before, client);
    this.#connectionIds.set(client, connectionId);
    this.#ofConnections.join(connectionId, client);
  }

  #changed(client: ClientSocket): void {
    this.#all.update(client);
    this.#ofNetworks.of(client.network).update(client);
    const connectionId = this.#connectionIds.get(client);
    if (connectionId !== undefined) this.#ofConnections.of(connectionId).update(client);
  }

  #leave(client: ClientSocket): void {
    this.#leaveHalfOpen(client);
    this.#all.leave(client);
    this.#ofNetworks.leave(client.network, client);
    const connectionId = this.#connectionIds.get(client);
    if (connectionId === undefined) return;
    this.#connectionIds.delete(client);
    this.#ofConnections.leave(connectionId, client);
  }

  #leaveHalfOpen(client: ClientSocket): void {
    this.#halfOpen.leave(client);
    this.#halfOpenOfNetworks.leave(client.network, client);
  }
}
