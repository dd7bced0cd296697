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

/** The limits for which sockets are closed. */
export type SocketLimit = Extract<keyof SocketLimits, `${string}Per${string}`>;

interface SocketObserver {
  closedFor(limit: SocketLimit): void;
  authenticatedAfter(seconds: number): void;
}

/** Sockets that count together. Each joins once and leaves once. */
class Group {
  #size = 0;
  /** The one that has waited longest comes first. */
  readonly #waiting = new Set<ClientSocket>();

  get size(): number {
    return this.#size;
  }

  get waiting(): ReadonlySet<ClientSocket> {
    return this.#waiting;
  }

  get longestWaiting(): ClientSocket | undefined {
    for (const client of this.#waiting) return client;
    return undefined;
  }

  join(client: ClientSocket): void {
    this.#size += 1;
    this.update(client);
  }

  leave(client: ClientSocket): void {
    this.#size -= 1;
    this.#waiting.delete(client);
  }

  update(client: ClientSocket): void {
    if (client.isWaiting) this.#waiting.add(client);
    else this.#waiting.delete(client);
  }
}

/** One group for each network, or each connection; those without members are forgotten. */
class Groups {
  readonly #byKey = new Map<string, Group>();

  /** Undefined where nobody counts. */
  of(key: string): Group | undefined {
    return this.#byKey.get(key);
  }

  join(key: string, client: ClientSocket): void {
    let group = this.#byKey.get(key);
    if (group === undefined) this.#byKey.set(key, (group = new Group()));
    group.join(client);
  }

  leave(key: string, client: ClientSocket): void {
    const group = this.#byKey.get(key);
    group?.leave(client);
    if (group?.size === 0) this.#byKey.delete(key);
  }
}

interface Membership {
  isHalfOpen: boolean;
  /** The connection whose credentials the client has shown last. */
  connectionId: string | undefined;
}

/**
 * Every client socket of this node from accept to close: the one place that knows and bounds them. Where a limit is
 * reached a newcomer is let in at the cost of the socket that has waited longest, of those that the limit is about and on
 * which the client is the one to act. So whoever opens sockets and leaves them open loses them, and locks nobody out; a
 * tunnel or a request is never cut for a newcomer, who is refused instead.
 */
export class ClientSockets {
  readonly #all = new Group();
  readonly #halfOpen = new Group();
  readonly #ofNetworks = new Groups();
  readonly #halfOpenOfNetworks = new Groups();
  readonly #ofConnections = new Groups();
  /** Of every client that is counted. One that was closed for a newcomer is not, though its `close` is still to come. */
  readonly #memberships = new Map<ClientSocket, Membership>();

  constructor(
    private readonly limits: SocketLimits,
    private readonly observer: SocketObserver,
  ) {}

  get open(): number {
    return this.#all.size;
  }

  /** Those that may be closed for a newcomer. */
  get waiting(): number {
    return this.#all.waiting.size;
  }

  /** Those without valid credentials. */
  get halfOpen(): number {
    return this.#halfOpen.size;
  }

  /** Undefined when a limit leaves no room. */
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
      client.cut();
      return undefined;
    }
    this.#memberships.set(client, { isHalfOpen: true, connectionId: undefined });
    this.#all.join(client);
    this.#halfOpen.join(client);
    this.#ofNetworks.join(network, client);
    this.#halfOpenOfNetworks.join(network, client);
    return client;
  }

  /** Closes what no tunnel and no request uses. */
  cutWaiting(): void {
    for (const client of this.#all.waiting) client.socket.destroy();
  }

  #makeRoom(limit: SocketLimit, group: Group | undefined): boolean {
    if ((group?.size ?? 0) < this.limits[limit]) return true;
    this.observer.closedFor(limit);
    const given = group?.longestWaiting;
    if (!given) return false;
    this.#leave(given); // Its own `close` comes later.
    given.cut();
    return true;
  }

  #authenticated(client: ClientSocket, connectionId: string): void {
    const membership = this.#memberships.get(client);
    if (membership === undefined) throw new TunnelFailure('client-gone');
    const before = membership.connectionId;
    if (before === connectionId) return;
    if (!this.#makeRoom('clientSocketsPerConnection', this.#ofConnections.of(connectionId)))
      throw new TunnelFailure('connection-limit');
    this.#leaveHalfOpen(client, membership);
    if (before === undefined) this.observer.authenticatedAfter((performance.now() - client.acceptedAt) / 1000);
    else this.#ofConnections.leave(before, client);
    membership.connectionId = connectionId;
    this.#ofConnections.join(connectionId, client);
  }

  #changed(client: ClientSocket): void {
    const membership = this.#memberships.get(client);
    if (membership === undefined) return;
    this.#all.update(client);
    this.#ofNetworks.of(client.network)?.update(client);
    if (membership.connectionId !== undefined) this.#ofConnections.of(membership.connectionId)?.update(client);
  }

  #leave(client: ClientSocket): void {
    const membership = this.#memberships.get(client);
    if (membership === undefined) return;
    this.#memberships.delete(client);
    this.#leaveHalfOpen(client, membership);
    this.#all.leave(client);
    this.#ofNetworks.leave(client.network, client);
    if (membership.connectionId !== undefined) this.#ofConnections.leave(membership.connectionId, client);
  }

  #leaveHalfOpen(client: ClientSocket, membership: Membership): void {
    if (!membership.isHalfOpen) return;
    membership.isHalfOpen = false;
    this.#halfOpen.leave(client);
    this.#halfOpenOfNetworks.leave(client.network, client);
  }
}
