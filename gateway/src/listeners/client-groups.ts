import { LinkedList, type Place } from '../linked-list.ts';
import type { HalfOpenSeat } from './half-open.ts';

interface Waiting {
  readonly isWaiting: boolean;
}

/** Sockets that share a limit. Each enters once and leaves once. */
export class Group<Client> {
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

  entered(): void {
    this.#size += 1;
  }

  left(): void {
    this.#size -= 1;
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

/** The groups of a counted socket, in all of which it waits or in none: a tunnel, which does not wait, has no places. */
export class Membership<Client extends Waiting> {
  /** In the order of the groups. */
  #places: Place<Client>[] | undefined;
  #connection: Group<Client> | undefined;
  /** That with whose credentials the client authenticated last. */
  connectionId: string | undefined;

  /**
   * @param networks in the order of the client's networks
   * @param halfOpen undefined once it has valid credentials
   */
  constructor(
    private readonly client: Client,
    private readonly node: Group<Client>,
    readonly networks: readonly Group<Client>[],
    public halfOpen: HalfOpenMembership<Client> | undefined,
  ) {
    for (const group of this.#groups) group.entered();
    this.update();
  }

  /** No list of its own for each client, which may be a tunnel for days. */
  get #groups(): Group<Client>[] {
    const own = [this.node, ...this.networks];
    return this.#connection ? [...own, this.#connection] : own;
  }

  /** Whether it waits may have changed. */
  update(): void {
    if (this.client.isWaiting === (this.#places !== undefined)) return;
    if (this.#places) this.#leavePlaces(this.#places);
    else this.#places = this.#groups.map(({ waiting }) => waiting.add(this.client));
  }

  enterConnection(id: string, group: Group<Client>): void {
    this.connectionId = id;
    this.#connection = group;
    group.entered();
    this.#places?.push(group.waiting.add(this.client));
  }

  leaveConnection(): Group<Client> | undefined {
    const group = this.#connection;
    const place = group && this.#places?.pop();
    if (place) group.waiting.remove(place);
    group?.left();
    this.connectionId = this.#connection = undefined;
    return group;
  }

  /** Leaves all groups; call `leaveConnection` first. */
  leave(): void {
    if (this.#places) this.#leavePlaces(this.#places);
    for (const group of this.#groups) group.left();
  }

  #leavePlaces(places: readonly Place<Client>[]): void {
    const groups = this.#groups;
    for (const [index, place] of places.entries()) groups[index]!.waiting.remove(place);
    this.#places = undefined;
  }
}

interface HalfOpenMembership<Client> {
  readonly node: HalfOpenSeat<Client>;
  /** In the order of the client's networks. */
  readonly networks: readonly HalfOpenSeat<Client>[];
  /** That of the client's network at its accept. */
  readonly knownConnectionId: string | undefined;
}
