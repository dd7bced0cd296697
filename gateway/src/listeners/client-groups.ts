import { LinkedList, type Place } from '../linked-list.ts';
import type { HalfOpenSeat } from './half-open.ts';

interface Waiting {
  readonly isWaiting: boolean;
}

/** Where a socket stands in a group. */
export interface Seat<Client extends Waiting> {
  readonly client: Client;
  readonly group: Group<Client>;
  /** While it waits for its client. */
  waiting: Place<Client> | undefined;
}

/** Sockets that share a limit. Each is added once and removed once. */
export class Group<Client extends Waiting> {
  #size = 0;
  /** Ordered by waiting time, the longest first. */
  readonly #waiting = new LinkedList<Client>();

  get size(): number {
    return this.#size;
  }

  get waiting(): LinkedList<Client> {
    return this.#waiting;
  }

  /** The socket that has to leave for a new one: the one that waits longest. */
  get first(): Client | undefined {
    return this.#waiting.first;
  }

  add(client: Client): Seat<Client> {
    this.#size += 1;
    const seat: Seat<Client> = { client, group: this, waiting: undefined };
    this.update(seat);
    return seat;
  }

  remove({ waiting }: Seat<Client>): void {
    this.#size -= 1;
    if (waiting) this.#waiting.remove(waiting);
  }

  /** Whether it waits may have changed. */
  update(seat: Seat<Client>): void {
    if (seat.client.isWaiting) {
      seat.waiting ??= this.#waiting.add(seat.client);
    } else if (seat.waiting) {
      this.#waiting.remove(seat.waiting);
      seat.waiting = undefined;
    }
  }
}

/** One group per network or per connection; empty groups are removed. */
export class Groups<Kind extends { readonly size: number }> {
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

  /** A member of this group has left. */
  left(key: string, group: Kind): void {
    if (group.size === 0) this.#byKey.delete(key);
  }
}

/** The places of a counted socket. */
export interface Membership<Client extends Waiting> {
  readonly all: Seat<Client>;
  /** In the order of the client's networks. */
  readonly networks: readonly Seat<Client>[];
  /** Undefined once it has valid credentials. */
  halfOpen: HalfOpenMembership<Client> | undefined;
  /** The connection with whose credentials the client authenticated last. */
  connection: { readonly id: string; readonly seat: Seat<Client> } | undefined;
}

interface HalfOpenMembership<Client> {
  readonly node: HalfOpenSeat<Client>;
  /** In the order of the client's networks. */
  readonly networks: readonly HalfOpenSeat<Client>[];
  /** That of the client's network at its accept. */
  readonly knownConnectionId: string | undefined;
}
