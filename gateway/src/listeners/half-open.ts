import { LinkedList, type Place } from '../linked-list.ts';

/** Where a socket without valid credentials stands in a group. */
export interface HalfOpenSeat<Client> {
  readonly group: HalfOpenGroup<Client>;
  place: Place<Client>;
  isSilent: boolean;
}

/**
 * Sockets without valid credentials. Those that have sent nothing are evicted first, of each kind the oldest first. But a quarter may be
 * silent: between the handshake of TCP and its first byte a client is silent, too, and would be the only one while attackers send.
 */
export class HalfOpenGroup<Client> {
  readonly #silent = new LinkedList<Client>();
  readonly #active = new LinkedList<Client>();

  get size(): number {
    return this.#silent.size + this.#active.size;
  }

  /** The socket that has to leave for a new one. */
  get first(): Client | undefined {
    const areManySilent = this.#silent.size > this.size / 4;
    return areManySilent ? this.#silent.first : this.#active.first;
  }

  add(client: Client): HalfOpenSeat<Client> {
    return { group: this, place: this.#silent.add(client), isSilent: true };
  }

  /** The socket is not silent any more. */
  receivedData(seat: HalfOpenSeat<Client>): void {
    if (!seat.isSilent) return;
    this.#silent.remove(seat.place);
    seat.isSilent = false;
    seat.place = this.#active.add(seat.place.item);
  }

  remove({ place, isSilent }: HalfOpenSeat<Client>): void {
    (isSilent ? this.#silent : this.#active).remove(place);
  }
}

/**
 * All sockets of a node without valid credentials. Attacks have no round trips, distant customers have several until their password
 * arrives: so strangers are evicted before sockets of networks where a client has authenticated. Of those, the connection with the most
 * sockets gives way: whoever attacks with a purchase, from however many networks, only evicts their own.
 */
export class HalfOpenSockets<Client> {
  readonly #strangers = new HalfOpenGroup<Client>();
  /** By the connection that has authenticated in the network of the client. */
  readonly #byConnection = new Map<string, HalfOpenGroup<Client>>();
  #known = 0;

  get size(): number {
    return this.#strangers.size + this.#known;
  }

  get first(): Client | undefined {
    return this.#strangers.first ?? this.#largest?.first;
  }

  /** @param connectionId of the client's network; undefined: a stranger */
  add(client: Client, connectionId: string | undefined): HalfOpenSeat<Client> {
    if (connectionId === undefined) return this.#strangers.add(client);
    this.#known += 1;
    let group = this.#byConnection.get(connectionId);
    if (!group) this.#byConnection.set(connectionId, (group = new HalfOpenGroup<Client>()));
    return group.add(client);
  }

  /** @param connectionId as it was added */
  remove(seat: HalfOpenSeat<Client>, connectionId: string | undefined): void {
    seat.group.remove(seat);
    if (connectionId === undefined) return;
    this.#known -= 1;
    if (seat.group.size === 0) this.#byConnection.delete(connectionId);
  }

  /** Looks at all, which are few even during an attack: each costs a purchase. */
  get #largest(): HalfOpenGroup<Client> | undefined {
    let largest: HalfOpenGroup<Client> | undefined;
    for (const group of this.#byConnection.values()) if (group.size > (largest?.size ?? 0)) largest = group;
    return largest;
  }
}
