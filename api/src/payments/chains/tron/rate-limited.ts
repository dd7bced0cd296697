/** Many requests to one source, at a pace that providers accept. */
import { setTimeout } from 'node:timers/promises';

const CONCURRENCY = 5;
const SECOND_MS = 1000;

/** @returns in the order of the items */
export async function mapRateLimited<Item, Result>(
  items: readonly Item[],
  { perSecond, signal }: { perSecond: number; signal: AbortSignal },
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const startedAtMs = performance.now();
  const queue = items.entries();
  const runNext = async (): Promise<void> => {
    for (const [index, item] of queue) {
      await pause(startedAtMs + (index * SECOND_MS) / perSecond - performance.now(), signal);
      results[index] = await run(item);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, runNext));
  return results;
}

/** If it is aborted, the next request says why. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 1) await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
