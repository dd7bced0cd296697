/**
 * What staff may give back of the cost of a connection: at most what it cost, less what was refunded before. While it is open, the unused
 * part of the prepaid megabytes may come back by itself when it ends. So either all of the cost is given back, and nothing comes back by
 * itself, or at most what the traffic has cost. Receipts stay as they are: they have refunds of exactly the unused megabytes.
 */
import { AppError } from '@cellhop/contract/errors';
import { megabytePrice, toDollars } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import { startedMicros } from './charging.ts';
import { lockConnection } from './ending.service.ts';
import { addStaffRefund, type OpenConnection } from './ending.store.ts';

/**
 * Locks the payer's account until the end of the transaction.
 * @throws AppError REFUND_TOO_LARGE
 */
export async function requireRefundable(ctx: Ctx, id: string, micros: bigint): Promise<void> {
  const connection = await lockConnection(ctx, id);
  if (!connection) throw new AppError('REFUND_TOO_LARGE', { dollars: 0 });
  const costMicros = netCostMicros(connection);
  const limitMicros = connection.status === 'WORK' ? trafficMicros(connection) : costMicros;
  if (micros !== costMicros && micros > limitMicros)
    throw new AppError('REFUND_TOO_LARGE', { dollars: toDollars(limitMicros) });
}

/** Counts a refund, which the caller posts in the same transaction. @throws AppError REFUND_TOO_LARGE */
export async function recordStaffRefund(ctx: Ctx, id: string, micros: bigint): Promise<void> {
  await requireRefundable(ctx, id, micros);
  await addStaffRefund(ctx, id, micros);
}

type Cost = Pick<OpenConnection, 'chargedMegabytes' | 'priceMicros' | 'staffRefundedMicros'>;

/** What a connection has cost, less all refunds. */
export function netCostMicros({ chargedMegabytes, priceMicros, staffRefundedMicros }: Cost): bigint {
  return chargedMegabytes * megabytePrice(priceMicros) - staffRefundedMicros;
}

/** What its traffic has cost, less refunds by staff; never negative. */
function trafficMicros({ usedBytes, priceMicros, staffRefundedMicros }: OpenConnection): bigint {
  const micros = startedMicros({ usedBytes, megabytePriceMicros: megabytePrice(priceMicros) }) - staffRefundedMicros;
  return micros > 0n ? micros : 0n;
}
