import type { Connection } from '@cellhop/contract/connections';
import { PREPAID_MEGABYTES } from '@cellhop/contract/limits';

const KIB_PER_MEGABYTE = 1024;

interface TrafficAhead {
  /** Until the customer's own limit, or until each megabyte is charged. */
  kind: 'CAP' | 'PREPAID';
  ofMegabytes: number;
  leftKibibytes: number;
  usedPercent: number;
}

/** What is left before something changes. Undefined: nothing will, each further megabyte is charged. */
export function trafficAhead({
  trafficUsed,
  capMegabytes,
}: Pick<Connection, 'trafficUsed' | 'capMegabytes'>): TrafficAhead | undefined {
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
