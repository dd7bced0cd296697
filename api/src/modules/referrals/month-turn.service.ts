/** The turn of the month (UTC): levels change by themselves, because they follow from payments; users are told here. */
import { referralLevels, referralLevelTable } from '@cellhop/contract/referrals';
import type { Ctx } from '../../ctx.ts';
import { notifyAll, type NewNotification } from '../notifications/notifications.service.ts';
import { levelFromPayments } from './levels.ts';
import * as store from './month-turn.store.ts';

const USERS_AT_ONCE = 500;

/** Once a month, by whichever worker comes first; one that was interrupted is repeated, and nobody is told twice. */
export async function turnMonth(ctx: Ctx): Promise<void> {
  const month = await store.findMonthToTurn(ctx);
  if (month === undefined) return;
  const notices = (await store.listPayments(ctx, month)).flatMap((payments) => toNotice(month, payments));
  for (let start = 0; start < notices.length; start += USERS_AT_ONCE)
    await ctx.tx((ctx) => notifyAll(ctx, notices.slice(start, start + USERS_AT_ONCE)));
  await store.saveTurn(ctx, month);
}

function toNotice(month: string, { userId, before, last }: store.PaymentCounts): NewNotification[] {
  const [levelBefore, level] = [levelFromPayments(before), levelFromPayments(last)];
  if (level === levelBefore) return [];
  const isHigher = referralLevels.indexOf(level) > referralLevels.indexOf(levelBefore);
  const details = { level, percent: referralLevelTable[level].bonusPercent, isHigher };
  return [{ userId, idempotencyKey: `referral-level:${month}`, notice: { kind: 'LEVEL_CHANGED', details } }];
}
