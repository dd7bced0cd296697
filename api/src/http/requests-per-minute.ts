import type { Limited } from '@cellhop/contract/network';
import { createLru } from '../process/lru.ts';

const MINUTE_MS = 60_000;
/** With more networks in one minute, the least recently seen one is forgotten. */
const NETWORKS_KEPT = 150_000;

interface Minute {
  count: number;
  endsAt: number;
}

interface Allowance {
  limit: number;
  /** Negative: the request exceeds it. */
  remaining: number;
  endsAt: number;
}

/** Counts the requests of each network in the minute that its first one begins. */
export class RequestsPerMinute {
  readonly #minutes = createLru<string, Minute>(NETWORKS_KEPT);

  /**
   * @param networks of the client, the narrowest first: what it is refused does not count for the others within the wider ones
   * @returns what is left of the first limit that is exceeded, or else of the one that would be next
   */
  count(networks: readonly Limited[]): Allowance {
    let least: Allowance | undefined;
    for (const { name, limit } of networks) {
      const minute = this.#minuteOf(name);
      minute.count += 1;
      const remaining = limit - minute.count;
      if (least === undefined || remaining < least.remaining) least = { limit, remaining, endsAt: minute.endsAt };
      if (remaining < 0) break;
    }
    return least!;
  }

  #minuteOf(name: string): Minute {
    const found = this.#minutes.get(name);
    if (found && found.endsAt > Date.now()) return found;
    const begun = { count: 0, endsAt: Date.now() + MINUTE_MS };
    this.#minutes.set(name, begun);
    return begun;
  }
}
