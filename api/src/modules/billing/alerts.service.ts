/**
 * Alerts of a customer: a low balance, a traffic cap that is nearly used up, connections that the system has ended; and the settings
 * which of them are also sent by email. They are periodic tasks: charging does not have to check them, and transactions that move money
 * enqueue no jobs.
 */
import type { Ctx } from '../../ctx.ts';
import type { AlertMail, MailRequest } from '../../mail/templates.ts';
import { send } from '../mails/mails.service.ts';
import { toDollars, toMicros } from '@cellhop/contract/units';
import { cleanUp } from '../../db/clean-up.ts';
import { notifyAll } from '../notifications/notifications.service.ts';
import * as store from './alerts.store.ts';
import { BYTES_PER_MEGABYTE } from '@cellhop/contract/limits';
import { type MailedReason, mailedReasons } from './end-reasons.ts';
import type { AlertSettings, SaveAlertSettingsBody } from '@cellhop/contract/alerts';
import type { Actor } from '../../http/actor.ts';
import * as ledger from '../ledger/ledger.service.ts';
import * as users from '../users/users.service.ts';

const defaults: store.AlertSettingsRow = {
  lowBalanceMicros: null,
  isMailed: true,
  mailsNoMoney: true,
  mailsIdle: true,
  mailsExitLost: true,
  mailsNews: true,
  mailsTickets: true,
  mailsTopUps: true,
};

export async function getAlertSettings(ctx: Ctx, { userId }: Actor): Promise<AlertSettings> {
  return present((await store.findSettings(ctx, userId)) ?? defaults);
}

/** A balance that is already below the new threshold causes no alert: the user has just seen it. */
export async function saveAlertSettings(
  ctx: Ctx,
  actor: Actor,
  settings: SaveAlertSettingsBody,
): Promise<AlertSettings> {
  const lowBalanceMicros = settings.lowBalance === null ? null : toMicros(settings.lowBalance);
  return ctx.tx(async (ctx) => {
    await ledger.lockBalance(ctx, actor.accountId);
    const before = (await store.findSettings(ctx, actor.userId)) ?? defaults;
    const { isMailed, isNewsMailed: mailsNews = before.mailsNews } = settings;
    const { isTicketMailed: mailsTickets = before.mailsTickets, isTopUpMailed: mailsTopUps = before.mailsTopUps } =
      settings;
    const others = { mailsNews, mailsTickets, mailsTopUps };
    const after = { ...before, lowBalanceMicros, isMailed, ...others, ...toEndMails(settings) };
    await store.saveSettings(ctx, actor.userId, after);
    if (before.lowBalanceMicros === lowBalanceMicros) return present(after);
    const thresholdMicros = lowBalanceMicros ?? THRESHOLD_MICROS_MIN;
    await store.forgetWarning(ctx, actor.userId);
    await store.insertSilentWarning(ctx, actor, thresholdMicros);
    return present(after);
  });
}

/** Switches emails of broadcasts off. */
export function stopNewsMails(ctx: Ctx, { userId, accountId }: Pick<Actor, 'userId' | 'accountId'>): Promise<void> {
  return ctx.tx(async (ctx) => {
    await ledger.lockBalance(ctx, accountId);
    const before = (await store.findSettings(ctx, userId)) ?? defaults;
    if (before.mailsNews) await store.saveSettings(ctx, userId, { ...before, mailsNews: false });
  });
}

function toEndMails({ endMails }: SaveAlertSettingsBody): Partial<store.AlertSettingsRow> {
  return { mailsNoMoney: endMails.noMoney, mailsIdle: endMails.idle, mailsExitLost: endMails.exitLost };
}

function present({ lowBalanceMicros, isMailed, ...row }: store.AlertSettingsRow): AlertSettings {
  return {
    lowBalance: lowBalanceMicros === null ? null : toDollars(lowBalanceMicros),
    isMailed,
    endMails: { noMoney: row.mailsNoMoney, idle: row.mailsIdle, exitLost: row.mailsExitLost },
    isNewsMailed: row.mailsNews,
    isTicketMailed: row.mailsTickets,
    isTopUpMailed: row.mailsTopUps,
  };
}

/** @returns whom to mail; undefined if the user does not want such mails, or has deleted their account */
export async function findRecipient(
  ctx: Ctx,
  userId: string,
  choice: 'mailsTickets' | 'mailsTopUps',
): Promise<Pick<MailRequest, 'to' | 'languageCode'> | undefined> {
  const user = await users.findUser(ctx, userId);
  if (!user || user.status === 'DELETED') return undefined;
  const settings = (await store.findSettings(ctx, userId)) ?? defaults;
  return settings[choice] ? { to: user.email, languageCode: user.languageCode } : undefined;
}

/** After a day an alert is out of date. */
const ALERT_EXPIRY_MS = 24 * 60 * 60 * 1000;

/** Call it in the transaction that records the alert. */
async function mailAlert(
  ctx: Ctx,
  { userId, email, languageCode, isMailed }: store.AlertRecipient,
  mail: AlertMail,
): Promise<void> {
  if (isMailed) await send(ctx, userId, { ...mail, to: email, languageCode }, new Date(Date.now() + ALERT_EXPIRY_MS));
}

/** Without a choice of the user, the threshold is the price of 50 MB of their most expensive open connection, but at least this. */
const THRESHOLD_MICROS_MIN = 1_000_000n;
/** Per transaction; the next run of the task warns the others. */
const WARNINGS_MAX = 500;

/** While a connection is open. Warns a user once, and again only after a top-up has brought the balance back to the threshold. */
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

/** Percentage of the cap. */
const CAP_ALERT_PERCENT = 80;

/** Warns once per connection, and again only for a higher cap. */
export async function warnNearCaps(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'cap warnings', store.deleteEndedWarnings);
  await ctx.tx(async (ctx) => {
    const warnings = await store.insertCapWarnings(ctx, (BYTES_PER_MEGABYTE / 100) * CAP_ALERT_PERCENT, WARNINGS_MAX);
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

/** When a user runs out of money, all of their connections end within seconds: one mail lists them. */
const GATHER_MS = 60_000;
/** The minimum between two mails, however often connections end. */
const INTERVAL_MS = 3_600_000;
/** Per transaction; the next run of the task sends the others. */
const MAILS_MAX = 500;

const templates = {
  NO_MONEY: 'no-money',
  IDLE: 'ended-idle',
  EXIT_LOST: 'ended-exit-lost',
} as const satisfies Record<MailedReason, AlertMail['template']>;

/** At most one mail an hour per user and reason, about all connections that have ended since the last one. */
export async function mailEnds(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'times of mails about ends', (ctx, limit) => store.deleteOldMails(ctx, INTERVAL_MS, limit));
  await ctx.tx(async (ctx) => {
    const timing = { gatherMs: GATHER_MS, intervalMs: INTERVAL_MS, expiryMs: ALERT_EXPIRY_MS };
    const all = await store.takeEnds(ctx, timing, mailedReasons, MAILS_MAX);
    for (const { reason, count, refundMicros, connectionId, ip, ...recipient } of all)
      await mailAlert(ctx, recipient, {
        template: templates[reason],
        values: {
          link: ctx.config.publicUrl + toPath(reason, count, connectionId),
          ip,
          otherCount: count - 1,
          refund: toDollars(refundMicros),
        },
      });
  });
}

function toPath(reason: MailedReason, count: number, connectionId: string): string {
  if (reason === 'NO_MONEY') return '/payments/invoices?create=true';
  return count === 1 ? `/connection-history?connection=${connectionId}` : '/connection-history';
}
