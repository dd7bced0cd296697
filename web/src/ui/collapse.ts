const SHOWN_MAX = 8;

/** Of more than eight the first and the last ones; undefined stands for those between them. */
export function collapse<Item>(items: readonly Item[]): (Item | undefined)[] {
  return items.length > SHOWN_MAX ? [items[0], undefined, ...items.slice(2 - SHOWN_MAX)] : [...items];
}
