/** Mails about connections that the system has ended. A periodic task, because transactions that move money enqueue no jobs. */
import { toDollars } from '@cellhop/contract/units';
import { cleanUp } from '../../db/clean-up.ts';
import type { Ctx } from '../../ctx.ts';
import type { AlertMail } from '../../mail/templates.ts';
import { ALERT_EXPIRY_MS, mailAlert } from './alert-mails.ts';
import { type MailedReason, mailedReasons } from './end-mails.ts';
import * as store from './end-mails.store.ts';

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
