/** The alert settings of a customer: the balance, and whether alerts are also sent by email. */
import type { AlertSettings } from '@cellhop/contract/alerts';
import { toDollars, toMicros } from '@cellhop/contract/units';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import * as ledger from '../ledger/ledger.service.ts';
import * as store from './alert-settings.store.ts';
import { THRESHOLD_MICROS_MIN } from './low-balance.service.ts';

const defaults: store.AlertSettingsRow = {
  lowBalanceMicros: null,
  isMailed: true,
  mailsNoMoney: true,
  mailsIdle: true,
  mailsExitLost: true,
};

export async function getAlertSettings(ctx: Ctx, { userId }: Actor): Promise<AlertSettings> {
  return present((await store.findSettings(ctx, userId)) ?? defaults);
}

/** A balance that is already below the new threshold causes no alert: the user has just seen it. */
export async function saveAlertSettings(ctx: Ctx, actor: Actor, settings: AlertSettings): Promise<AlertSettings> {
  const lowBalanceMicros = settings.lowBalance === null ? null : toMicros(settings.lowBalance);
  return ctx.tx(async (ctx) => {
    await ledger.lockBalance(ctx, actor.accountId);
    const before = (await store.findSettings(ctx, actor.userId)) ?? defaults;
    const after = { ...before, lowBalanceMicros, isMailed: settings.isMailed, ...toEndMails(settings) };
    await store.saveSettings(ctx, actor.userId, after);
    if (before.lowBalanceMicros === lowBalanceMicros) return present(after);
    const thresholdMicros = lowBalanceMicros ?? THRESHOLD_MICROS_MIN;
    await store.forgetWarning(ctx, actor.userId);
    await store.insertSilentWarning(ctx, actor, thresholdMicros);
    return present(after);
  });
}

function toEndMails({ endMails }: AlertSettings): Partial<store.AlertSettingsRow> {
  return { mailsNoMoney: endMails.noMoney, mailsIdle: endMails.idle, mailsExitLost: endMails.exitLost };
}

function present({ lowBalanceMicros, isMailed, ...row }: store.AlertSettingsRow): AlertSettings {
  return {
    lowBalance: lowBalanceMicros === null ? null : toDollars(lowBalanceMicros),
    isMailed,
    endMails: { noMoney: row.mailsNoMoney, idle: row.mailsIdle, exitLost: row.mailsExitLost },
  };
}
