import { LRUCache } from 'lru-cache';

interface LastSettlement {
  payerAccountId: bigint;
  /** The run that reported, and its total then. */
  runId: string;
  usedBytes: bigint;
}

/**
 * The last settlement of each connection by this process. It only saves queries and may be stale: a payer never changes, and
 * whether a report changes anything is checked again under the payer's lock. About 20 MB when full.
 */
export const settlementCache = new LRUCache<string, LastSettlement>({ max: 100_000 });
