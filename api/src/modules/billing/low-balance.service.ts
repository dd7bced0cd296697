/** Warns of a low balance while a connection is open. A periodic task, so that charging does not have to check it. */
import { toDollars } from '@cellhop/contract/units';
import { cleanUp } from '../../clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import { notifyAll } from '../notifications/notifications.service.ts';
import * as store from './low-balance.store.ts';

/** The threshold is the price of 50 MB of the user's most expensive open connection, but at least this. */
const THRESHOLD_MICROS_MIN = 1_000_000n;

/** Warns a user once, and again only after the balance has recovered. */
export async function warnOfLowBalances(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'low balance warnings', store.deleteRecovered);
  await ctx.tx(async (ctx) => {
    const warnings = await store.insertWarnings(ctx, THRESHOLD_MICROS_MIN);
    await notifyAll(
      ctx,
      warnings.map(({ id, userId, balanceMicros }) => ({
        userId,
        idempotencyKey: `low-balance:${id}`,
        event: { kind: 'LOW_BALANCE', details: { balance: toDollars(balanceMicros) } },
      })),
    );
  });
}
