/** Values that every visitor requests (prices, stock, offer, public keys): no query is made for each visitor. */
import type { Log } from './log.ts';

const MAX_AGE_MS = 10_000;
/** The first caller after a quiet time would get a value of that time: beyond this many ages they wait for a new one. */
const AGES_USABLE = 6;

/**
 * Reads a value at most every ten seconds, or as seldom as given, for all callers; while it is used, none of them waits for it.
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
    const ageMs = Date.now() - readAt;
    if (ageMs > maxAgeMs) reading ??= refresh();
    if (known === undefined) return reading ?? refresh();
    const { value } = known;
    const next = reading?.catch(() => value);
    return next !== undefined && ageMs > maxAgeMs * AGES_USABLE ? next : value;
  };
}
