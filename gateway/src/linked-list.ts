/** Where an item stands in a list. */
export interface Place<Item> {
  readonly item: Item;
  before: Place<Item> | undefined;
  after: Place<Item> | undefined;
  isListed: boolean;
}

/**
 * Items in the order in which they were added, for what comes and goes with each tunnel. The table of a Set or Map is replaced after a few
 * changes, and the old one leads to the new one: once one is in V8's old space, all later ones, with what was in them, survive until the
 * next full collection. A place that was left leads nowhere.
 */
export class LinkedList<Item> implements Iterable<Item> {
  #first: Place<Item> | undefined;
  #last: Place<Item> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): Item | undefined {
    return this.#first?.item;
  }

  /** Adds the item at the end. @returns its place, for `remove` */
  add(item: Item): Place<Item> {
    const place: Place<Item> = { item, before: this.#last, after: undefined, isListed: true };
    if (this.#last) this.#last.after = place;
    else this.#first = place;
    this.#last = place;
    this.#size += 1;
    return place;
  }

  /** @param place of this list; if it was left before, nothing changes */
  remove(place: Place<Item>): void {
    if (!place.isListed) return;
    const { before, after } = place;
    if (before) before.after = after;
    else this.#first = after;
    if (after) after.before = before;
    else this.#last = before;
    place.before = undefined;
    place.after = undefined;
    place.isListed = false;
    this.#size -= 1;
  }

  /** Those of now, whatever is added or removed meanwhile. */
  [Symbol.iterator](): IterableIterator<Item> {
    const items: Item[] = [];
    for (let place = this.#first; place; place = place.after) items.push(place.item);
    return items.values();
  }
}
