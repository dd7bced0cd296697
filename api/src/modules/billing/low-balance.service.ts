/** Warns of a low balance while a connection is open. A periodic task, so that charging does not have to check it. */
import { toDollars } from '@cellhop/contract/units';
import { cleanUp } from '../../db/clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import { notifyAll } from '../notifications/notifications.service.ts';
import { mailAlert } from './alert-mails.ts';
import * as store from './low-balance.store.ts';

/** Without a choice of the user, the threshold is the price of 50 MB of their most expensive open connection, but at least this. */
export const THRESHOLD_MICROS_MIN = 1_000_000n;
/** Per transaction; the next run of the task warns the others. */
const WARNINGS_MAX = 500;

/** Warns a user once, and again only after a top-up has brought the balance back to the threshold. */
export async function warnOfLowBalances(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'low balance warnings', store.deleteRecovered);
  await ctx.tx(async (ctx) => {
    const warnings = await store.insertWarnings(ctx, THRESHOLD_MICROS_MIN, WARNINGS_MAX);
    await notifyAll(
      ctx,
      warnings.map(({ id, userId, balanceMicros }) => ({
        userId,
        idempotencyKey: `low-balance:${id}`,
        event: { kind: 'LOW_BALANCE', details: { balance: toDollars(balanceMicros) } },
      })),
    );
    for (const warning of warnings)
      await mailAlert(ctx, warning, {
        template: 'low-balance',
        values: {
          link: `${ctx.config.publicUrl}/payments/invoices?create=true`,
          balance: toDollars(warning.balanceMicros),
        },
      });
  });
}
