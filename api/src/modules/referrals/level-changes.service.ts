/** Notifies users of level changes at the start of a month (UTC). The levels themselves are computed from payments. */
import { referralLevels, referralLevelTable } from '@cellhop/contract/referrals.values';
import type { Ctx } from '../../ctx.ts';
import { notifyAll, type NewNotification } from '../notifications/notifications.service.ts';
import { levelFromPayments } from './levels.ts';
import * as store from './level-changes.store.ts';

const USERS_PER_BATCH = 500;

/** Runs once a month. An interrupted run is repeated, and users are notified only once. */
export async function notifyLevelChanges(ctx: Ctx): Promise<void> {
  const month = await store.findUnprocessedMonth(ctx);
  if (month === undefined) return;
  const notifications = (await store.listPayments(ctx, month)).flatMap((counts) => toNotification(month, counts));
  for (let start = 0; start < notifications.length; start += USERS_PER_BATCH)
    await ctx.tx((ctx) => notifyAll(ctx, notifications.slice(start, start + USERS_PER_BATCH)));
  await store.markMonthProcessed(ctx, month);
}

function toNotification(month: string, { userId, before, last }: store.PaymentCounts): NewNotification[] {
  const [levelBefore, level] = [levelFromPayments(before), levelFromPayments(last)];
  if (level === levelBefore) return [];
  const isHigher = referralLevels.indexOf(level) > referralLevels.indexOf(levelBefore);
  const details = { level, percent: referralLevelTable[level].bonusPercent, isHigher };
  return [{ userId, idempotencyKey: `referral-level:${month}`, event: { kind: 'LEVEL_CHANGED', details } }];
}
