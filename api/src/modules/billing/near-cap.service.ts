/** Warns of a traffic cap that is nearly used up. A periodic task, as for low balances. */
import { BYTES_PER_MEGABYTE } from '@cellhop/contract/limits';
import { cleanUp } from '../../db/clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import { notifyAll } from '../notifications/notifications.service.ts';
import { mailAlert } from './alert-mails.ts';
import * as store from './near-cap.store.ts';

/** Percentage of the cap. */
const ALERT_PERCENT = 80;
/** Per transaction; the next run of the task warns the others. */
const WARNINGS_MAX = 500;

/** Warns once per connection, and again only for a higher cap. */
export async function warnNearCaps(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'cap warnings', store.deleteEnded);
  await ctx.tx(async (ctx) => {
    const warnings = await store.insertWarnings(ctx, (BYTES_PER_MEGABYTE / 100) * ALERT_PERCENT, WARNINGS_MAX);
    const alerts = warnings.map(({ usedBytes, capMegabytes, ...warning }) => ({
      ...warning,
      usedMegabytes: Math.floor(Number(usedBytes) / BYTES_PER_MEGABYTE),
      capMegabytes: Number(capMegabytes),
    }));
    await notifyAll(
      ctx,
      alerts.map(({ userId, connectionId, ip, usedMegabytes, capMegabytes }) => ({
        userId,
        idempotencyKey: `near-cap:${connectionId}:${capMegabytes}`,
        event: { kind: 'NEAR_CAP', details: { connectionId, ip, usedMegabytes, capMegabytes } },
      })),
    );
    for (const { connectionId, ip, usedMegabytes, capMegabytes, ...recipient } of alerts) {
      const link = `${ctx.config.publicUrl}/connection-history?connection=${connectionId}`;
      await mailAlert(ctx, recipient, { template: 'near-cap', values: { link, ip, usedMegabytes, capMegabytes } });
    }
  });
}
