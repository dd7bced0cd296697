import { LRUCache } from 'lru-cache';

/**
 * The entries that were used last. The library's `max` would reserve memory for all entries at once, which took two fifths of the time
 * in which the API starts.
 * @param entriesMax with more, the least recently used one is forgotten
 */
export const createLru = <Key extends string | number, Value extends object | string | number | boolean>(
  entriesMax: number,
  options: Pick<LRUCache.Options<Key, Value, unknown>, 'ttl'> = {},
) => new LRUCache<Key, Value>({ ...options, maxSize: entriesMax, sizeCalculation: () => 1 });
