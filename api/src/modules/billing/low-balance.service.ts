/** Warns of a low balance while a connection is open. A sweep, so that charging does not have to look for it. */
import { toDollars } from '@cellhop/contract/units';
import { cleanUp } from '../../clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import { notifyAll } from '../notifications/notifications.service.ts';
import * as store from './low-balance.store.ts';

/** The price of 50 MB of the user's dearest open connection, but no less than this. */
const THRESHOLD_MICROS_MIN = 1_000_000n;

/** A user is told once, and again only after his balance has been above the threshold. */
export async function warnOfLowBalances(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'warnings of low balances', store.deleteOvercome);
  await ctx.tx(async (ctx) => {
    const warnings = await store.insertWarnings(ctx, THRESHOLD_MICROS_MIN);
    await notifyAll(
      ctx,
      warnings.map(({ id, userId, balanceMicros }) => ({
        userId,
        idempotencyKey: `low-balance:${id}`,
        notice: { kind: 'LOW_BALANCE', details: { balance: toDollars(balanceMicros) } },
      })),
    );
  });
}
