import { createLru } from '../../process/lru.ts';

interface LastReport {
  payerAccountId: bigint;
  /** The run that reported, and its total then. */
  runId: string;
  usedBytes: bigint;
}

/**
 * The last report of each connection that this process charged. It only saves queries and may be stale: a payer never changes, and
 * whether a report changes anything is checked again under the payer's lock. About 20 MB when full.
 */
export const usageReportCache = createLru<string, LastReport>(100_000);
