/** An id of native code is an index, which is used again, and a number above it, which is not. */
const INDEX_MASK = 2 ** 20 - 1;

/**
 * What belongs to the ids of native code. Not a Map, whose table is replaced after a few changes: the old one leads to the new one, and with
 * it closed tunnels survive (see `LinkedList`). An index is found sooner, too.
 */
export class NativeTable<Item> {
  readonly #ids: number[] = [];
  readonly #items: (Item | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param id that is not in the table */
  add(id: number, item: Item): void {
    const index = id & INDEX_MASK;
    this.#ids[index] = id;
    this.#items[index] = item;
    this.#size += 1;
  }

  get(id: number): Item | undefined {
    const index = id & INDEX_MASK;
    return this.#ids[index] === id ? this.#items[index] : undefined;
  }

  delete(id: number): void {
    if (this.get(id) === undefined) return;
    this.#items[id & INDEX_MASK] = undefined;
    this.#size -= 1;
  }

  /** Those of now, whatever is added or removed meanwhile. */
  values(): Item[] {
    return this.#items.filter((item) => item !== undefined);
  }
}
