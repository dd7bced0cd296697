/** Values that every visitor requests (prices, stock, offer, public keys): no query is made for each visitor. */
import type { Log } from './log.ts';

const MAX_AGE_MS = 10_000;

/**
 * Reads a value at most every ten seconds, or as seldom as given, for all callers; once it is known, none of them waits for it.
 * @param what for the log, which has its failures
 * @returns rejects only while nothing is known
 */
export function keepValue<T>(log: Log, what: string, read: () => Promise<T>, maxAgeMs = MAX_AGE_MS): () => Promise<T> {
  let known: { value: T } | undefined;
  let readAt = -Infinity;
  let reading: Promise<T> | undefined;
  const refresh = async () => {
    try {
      const value = await read();
      known = { value };
      return value;
    } catch (error) {
      log.warn({ err: error }, `${what} could not be read`);
      throw error;
    } finally {
      readAt = Date.now();
      reading = undefined;
    }
  };
  return async () => {
    if (known === undefined || Date.now() - readAt > maxAgeMs) reading ??= refresh();
    if (known === undefined) return reading!;
    reading?.catch(() => {});
    return known.value;
  };
}
