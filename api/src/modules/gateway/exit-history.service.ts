/** What the checks of exits have found out over days, and whether many exits of a gateway fail now. */
import { EXIT_HISTORY_DAYS } from '@cellhop/contract/limits';
import type { ExitDay } from '@cellhop/contract/staff/exit-checks';
import type { Ctx } from '../../ctx.ts';
import { cleanUp } from '../../db/clean-up.ts';
import { tellSystemStaff } from '../notifications/system-notices.service.ts';
import * as store from './exit-history.store.ts';

export async function listDays(ctx: Ctx, exitId: string): Promise<ExitDay[]> {
  const rows = await store.listDays(ctx, exitId, EXIT_HISTORY_DAYS);
  return rows.map(({ lastFailedAt, lastFailure, ...row }) => ({
    ...row,
    lastFailure: lastFailedAt === null ? null : { at: lastFailedAt.toISOString(), reason: lastFailure! },
  }));
}

export async function deleteOldDays(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'days of exits', (ctx, limit) => store.deleteOldDays(ctx, EXIT_HISTORY_DAYS, limit));
}

const FAILING_PERCENT = 10;
/** A gateway whose exits come and go around a tenth is one event. */
const RECOVERED_PERCENT = 5;

/** Tells staff once for each time in which a tenth of the exits of a gateway fail. */
export async function watchFailing(ctx: Ctx): Promise<void> {
  for (const { id, since } of await store.updateFailing(ctx, FAILING_PERCENT, RECOVERED_PERCENT))
    await tellSystemStaff(ctx, `exits-failing:${id}:${since.toISOString()}`, 'exits-failing');
}
