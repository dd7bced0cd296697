import type { ClientSocket } from './client-socket.ts';

/**
 * Sockets without valid credentials. Those that have sent nothing are evicted first, of each kind the oldest first. But a quarter may be
 * silent: between the handshake of TCP and its first byte a client is silent, too, and would be the only one while attackers send.
 */
export class HalfOpenGroup {
  readonly #silent = new Set<ClientSocket>();
  readonly #active = new Set<ClientSocket>();

  get size(): number {
    return this.#silent.size + this.#active.size;
  }

  /** The socket that has to leave for a new one. */
  get first(): ClientSocket | undefined {
    const areManySilent = this.#silent.size > this.size / 4;
    for (const client of areManySilent ? this.#silent : this.#active) return client;
    return undefined;
  }

  add(client: ClientSocket): void {
    this.#silent.add(client);
  }

  /** The socket is not silent any more. */
  receivedData(client: ClientSocket): void {
    if (this.#silent.delete(client)) this.#active.add(client);
  }

  remove(client: ClientSocket): void {
    this.#silent.delete(client);
    this.#active.delete(client);
  }
}

/**
 * All sockets of a node without valid credentials. Attacks have no round trips, distant customers have several until their password
 * arrives: so strangers are evicted before sockets of networks where a client has authenticated. Of those, the connection with the most
 * sockets gives way: whoever attacks with a purchase, from however many networks, only evicts their own.
 */
export class HalfOpenSockets {
  readonly #strangers = new HalfOpenGroup();
  /** By the connection that has authenticated in the network of the client. */
  readonly #byConnection = new Map<string, HalfOpenGroup>();
  readonly #connectionIds = new Map<ClientSocket, string>();

  get size(): number {
    return this.#strangers.size + this.#connectionIds.size;
  }

  get first(): ClientSocket | undefined {
    return this.#strangers.first ?? this.#largest?.first;
  }

  /** @param connectionId of the client's network; undefined: a stranger */
  add(client: ClientSocket, connectionId: string | undefined): void {
    if (connectionId === undefined) return this.#strangers.add(client);
    this.#connectionIds.set(client, connectionId);
    let group = this.#byConnection.get(connectionId);
    if (!group) this.#byConnection.set(connectionId, (group = new HalfOpenGroup()));
    group.add(client);
  }

  receivedData(client: ClientSocket): void {
    this.#groupOf(client)?.receivedData(client);
  }

  remove(client: ClientSocket): void {
    const group = this.#groupOf(client);
    group?.remove(client);
    const connectionId = this.#connectionIds.get(client);
    if (connectionId === undefined) return;
    this.#connectionIds.delete(client);
    if (group?.size === 0) this.#byConnection.delete(connectionId);
  }

  #groupOf(client: ClientSocket): HalfOpenGroup | undefined {
    const connectionId = this.#connectionIds.get(client);
    return connectionId === undefined ? this.#strangers : this.#byConnection.get(connectionId);
  }

  /** Looks at all, which are few even during an attack: each costs a purchase. */
  get #largest(): HalfOpenGroup | undefined {
    let largest: HalfOpenGroup | undefined;
    for (const group of this.#byConnection.values()) if (group.size > (largest?.size ?? 0)) largest = group;
    return largest;
  }
}
