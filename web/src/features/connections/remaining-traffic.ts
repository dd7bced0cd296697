import type { Connection } from '@cellhop/contract/connections';
import { PREPAID_MEGABYTES } from '@cellhop/contract/limits';

const KIB_PER_MEGABYTE = 1024;

interface RemainingTraffic {
  /** CAP: of the limit that the customer has set. PREPAID: of the first megabytes. */
  kind: 'CAP' | 'PREPAID';
  ofMegabytes: number;
  leftKibibytes: number;
  usedPercent: number;
}

/** The traffic that is left of the limit or else of the prepaid megabytes. Undefined without both: each further megabyte is charged. */
export function remainingTraffic({
  trafficUsed,
  capMegabytes,
}: Pick<Connection, 'trafficUsed' | 'capMegabytes'>): RemainingTraffic | undefined {
  const ofMegabytes = capMegabytes ?? PREPAID_MEGABYTES;
  const ofKibibytes = ofMegabytes * KIB_PER_MEGABYTE;
  if (capMegabytes === null && trafficUsed >= ofKibibytes) return undefined;
  return {
    kind: capMegabytes === null ? 'PREPAID' : 'CAP',
    ofMegabytes,
    leftKibibytes: Math.max(0, ofKibibytes - trafficUsed),
    usedPercent: Math.min(100, (trafficUsed / ofKibibytes) * 100),
  };
}
