/** No synchronous work is without a bound: what takes more than a page of rows, or a record of a file, goes in slices between requests. */
import { setImmediate } from 'node:timers/promises';

/** The longest that one request may keep all others waiting, plus the time of one item. */
export const SLICE_MS = 10;

/** The items, as they are. Whenever they and the work on them have taken a slice, other requests run first. */
export async function* inSlices<T>(items: Iterable<T>): AsyncGenerator<T, void, undefined> {
  let startedAt = performance.now();
  for (const item of items) {
    yield item;
    if (performance.now() - startedAt < SLICE_MS) continue;
    await setImmediate();
    startedAt = performance.now();
  }
}
