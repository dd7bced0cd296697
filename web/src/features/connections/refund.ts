import type { Connection } from '@cellhop/contract/connections';
import { PREPAID_MEGABYTES } from '@cellhop/contract/limits';
import { megabytePrice } from '../../format/format.ts';

const KIB_PER_MEGABYTE = 1024;
const MINUTE_MS = 60_000;

/** Megabytes of which at least one byte is used: each is charged in full. */
export function startedMegabytes({ trafficUsed }: Pick<Connection, 'trafficUsed'>): number {
  return Math.ceil(trafficUsed / KIB_PER_MEGABYTE);
}

export type ExpectedRefund =
  | { kind: 'UNUSED'; megabytes: number; dollars: number }
  /** True if all prepaid megabytes have been started. */
  | { kind: 'USED_UP' }
  | { kind: 'TOO_LATE' };

/** Estimates the refund of a disconnect now; the server decides. @param ageMs since the purchase */
export function expectedRefund(
  connection: Pick<Connection, 'trafficUsed' | 'price'>,
  ageMs: number,
  refundMinutes: number,
): ExpectedRefund {
  if (ageMs >= refundMinutes * MINUTE_MS) return { kind: 'TOO_LATE' };
  const megabytes = PREPAID_MEGABYTES - startedMegabytes(connection);
  if (megabytes <= 0) return { kind: 'USED_UP' };
  return { kind: 'UNUSED', megabytes, dollars: megabytes * megabytePrice(connection.price) };
}
