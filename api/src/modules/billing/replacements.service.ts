/**
 * Replaces a connection by one at another exit. The connection ends as if by its user, at any age with the refund of what is unused; the
 * transaction that closes it buys the next one (`closeConnections`).
 */
import { AppError } from '@cellhop/contract/errors';
import { PREPAID_MEGABYTES } from '@cellhop/contract/limits';
import { toDollars } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import * as ledger from '../ledger/ledger.service.ts';
import { heldMicros } from './charging.ts';
import { billAtEnd, finishEnds, limitUnusedReturns, lockConnection, toMeter } from './ending.service.ts';
import { saveEndings, type OpenConnection, type RequestedEnd } from './ending.store.ts';
import { buyReplacement, refundMicros } from './replacement-purchase.ts';
import * as store from './replacements.store.ts';

/**
 * What is stored until the connection closes as USER. A process of the previous release knows no replacements: if it closes the connection,
 * this is what refunds the customer at any age.
 */
const REPLACED: RequestedEnd = 'EXIT_LOST';

/**
 * Waits until the connection has ended. A repeated request joins the first one, or returns what became of it.
 * @returns the id of the new connection; null if the last free proxy was sold meanwhile, or the money does not suffice any more
 * @throws AppError NOT_CONNECTED, PROXY_NOT_FOUND, SMALL_BALANCE, RATE_LIMITED; then nothing has changed. And what `requireAllowed` throws,
 *   which is called for a request that joins no other
 */
export async function replaceConnection(
  ctx: Ctx,
  id: string,
  requireAllowed: (ctx: Ctx) => Promise<void>,
): Promise<string | null> {
  await ctx.tx(async (ctx) => {
    const connection = await lockConnection(ctx, id);
    if (await store.findReplacement(ctx, id)) return;
    if (connection?.status !== 'WORK' || connection.endingReason !== null) throw new AppError('NOT_CONNECTED');
    await requireAllowed(ctx);
    await limitUnusedReturns(ctx, connection);
    if (!(await store.hasReplacingProxy(ctx, id))) throw new AppError('PROXY_NOT_FOUND');
    await requireMoney(ctx, connection);
    await store.insertReplacement(ctx, id);
    await saveEndings(ctx, [id], REPLACED);
  });
  await finishEnds(ctx, [id]);
  await completeReplacement(ctx, id);
  return (await store.findReplacement(ctx, id))?.newConnectionId ?? null;
}

/** For the first 50 MB, with what comes back. The last report may still take some of it. */
async function requireMoney(ctx: Ctx, connection: OpenConnection): Promise<void> {
  const meter = toMeter(connection);
  const { balanceMicros, heldMicros: allHeldMicros } = await ledger.readBalance(ctx, connection.payerAccountId);
  const { refundMicros } = billAtEnd(ctx, connection, REPLACED);
  const freeMicros = balanceMicros - allHeldMicros + heldMicros(meter) + refundMicros;
  if (freeMicros < BigInt(PREPAID_MEGABYTES) * meter.megabytePriceMicros) throw new AppError('SMALL_BALANCE');
}

/** Buys what a process of the previous release has not bought when it closed the connection. Does nothing otherwise. */
export async function completeReplacement(ctx: Ctx, id: string): Promise<void> {
  if ((await store.findReplacement(ctx, id))?.isFinished !== false) return;
  await ctx.tx(async (ctx) => {
    const connection = await lockConnection(ctx, id);
    if (connection?.isReplaced && connection.status !== 'WORK') await buyReplacement(ctx, id);
  });
}

/** US dollars that came back when a connection ended. */
export async function refundAtEnd(ctx: Ctx, id: string): Promise<number> {
  return toDollars(refundMicros(await store.findReplaced(ctx, id)));
}
