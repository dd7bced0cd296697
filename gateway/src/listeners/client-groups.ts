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
  /** Replaced and not extended, because an array that grows takes room for more. */
  #groups: readonly Group<Client>[];
  #places: Place<Client>[] | undefined;
  /** Undefined once it has valid credentials. */
  halfOpen: HalfOpenMembership<Client> | undefined;
  /** That with whose credentials the client authenticated last; its group is the last one. */
  connectionId: string | undefined;

  /** @param groups the node's, and those of the client's networks in their order */
  constructor(
    private readonly client: Client,
    groups: readonly Group<Client>[],
    halfOpen: HalfOpenMembership<Client>,
  ) {
    this.#groups = groups;
    this.halfOpen = halfOpen;
    for (const group of groups) group.entered();
    this.update();
  }

  /** Whether it waits may have changed. */
  update(): void {
    const places = this.#places;
    if (this.client.isWaiting === (places !== undefined)) return;
    this.#places = places ? undefined : this.#groups.map(({ waiting }) => waiting.add(this.client));
    places?.forEach((place, index) => this.#groups[index]!.waiting.remove(place));
  }

  enter(group: Group<Client>): void {
    group.entered();
    this.#groups = [...this.#groups, group];
    this.#places?.push(group.waiting.add(this.client));
  }

  /** Leaves the group that it has entered last. */
  leaveLast(): Group<Client> | undefined {
    const group = this.#groups.at(-1);
    this.#groups = this.#groups.slice(0, -1);
    const place = this.#places?.pop();
    group?.left();
    if (group && place) group.waiting.remove(place);
    return group;
  }
}

interface HalfOpenMembership<Client> {
  readonly node: HalfOpenSeat<Client>;
  /** In the order of the client's networks. */
  readonly networks: readonly HalfOpenSeat<Client>[];
  /** That of the client's network at its accept. */
  readonly knownConnectionId: string | undefined;
}
