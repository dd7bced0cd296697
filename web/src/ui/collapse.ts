const SHOWN_MAX = 8;

/** Keeps the first and the last of more than eight items; undefined stands for the removed ones. */
export function collapse<Item>(items: readonly Item[]): (Item | undefined)[] {
  return items.length > SHOWN_MAX ? [items[0], undefined, ...items.slice(2 - SHOWN_MAX)] : [...items];
}
