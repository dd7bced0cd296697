/** What a customer chose about alerts: at which balance, and whether by email too. */
import type { AlertSettings } from '@cellhop/contract/alerts';
import { toDollars, toMicros } from '@cellhop/contract/units';
import type { Actor } from '../../actor.ts';
import type { Ctx } from '../../ctx.ts';
import * as ledger from '../ledger/ledger.service.ts';
import * as store from './alert-settings.store.ts';
import { THRESHOLD_MICROS_MIN } from './low-balance.service.ts';

export async function getAlertSettings(ctx: Ctx, { userId }: Actor): Promise<AlertSettings> {
  const row = await store.findSettings(ctx, userId);
  if (!row) return { lowBalance: null, isMailed: true };
  const { lowBalanceMicros, isMailed } = row;
  return { lowBalance: lowBalanceMicros === null ? null : toDollars(lowBalanceMicros), isMailed };
}

/** A balance that is already below the new threshold causes no alert: the user has just seen it. */
export async function saveAlertSettings(ctx: Ctx, actor: Actor, settings: AlertSettings): Promise<AlertSettings> {
  const lowBalanceMicros = settings.lowBalance === null ? null : toMicros(settings.lowBalance);
  await ctx.tx(async (ctx) => {
    await ledger.lockBalance(ctx, actor.accountId);
    const before = await store.findSettings(ctx, actor.userId);
    await store.saveSettings(ctx, { userId: actor.userId, lowBalanceMicros, isMailed: settings.isMailed });
    if ((before?.lowBalanceMicros ?? null) === lowBalanceMicros) return;
    const thresholdMicros = lowBalanceMicros ?? THRESHOLD_MICROS_MIN;
    await store.forgetWarning(ctx, actor.userId);
    await store.insertSilentWarning(ctx, actor, thresholdMicros);
  });
  return settings;
}
