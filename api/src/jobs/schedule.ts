/**
 * Cron jobs, which run every minute or less often. The job runner enqueues each one once for all workers. More frequent work is in
 * periodic-tasks.ts.
 */
import { parseCronItems, type ParsedCronItem, type TaskList } from 'graphile-worker';
import type { Ctx } from '../ctx.ts';
import { cleanUpJobs, hastenMails } from './jobs.ts';
import { lapseRequests } from '../modules/approvals/approvals.service.ts';
import { deleteOld } from '../modules/audit-log/audit-log.service.ts';
import { deleteExpired } from '../modules/auth/auth.service.ts';
import { resetDue } from '../modules/auth/second-factor-reset.service.ts';
import { watchBudgets } from '../modules/budgets/budgets.service.ts';
import { countRevenue } from '../modules/budgets/margins.service.ts';
import { deleteOldClientAddresses } from '../modules/connections/access.service.ts';
import { deleteOldChanges as deleteOldRotations } from '../modules/rotation/rotation.service.ts';
import { deleteOldAddresses } from '../modules/gateway/exit-checks.service.ts';
import { deleteOldDays, watchFailing } from '../modules/gateway/exit-history.service.ts';
import { warnOfCertificates } from '../modules/gateway/certificates.service.ts';
import { compareChains } from '../modules/invoices/comparison.service.ts';
import { deleteOldRates } from '../modules/invoices/rates.service.ts';
import { deleteOldMails } from '../modules/mails/mails.service.ts';
import { updateSums } from '../modules/dashboard/sums.service.ts';
import { mailBroadcasts } from '../modules/notifications/broadcast-delivery.service.ts';
import { deleteOldNotifications } from '../modules/notifications/notifications.service.ts';
import { deleteOldChanges, failAbandoned } from '../modules/proxies/inventory-changes.service.ts';
import { deleteOldImports } from '../modules/proxies/imports.service.ts';
import { notifyLevelChanges } from '../modules/referrals/levels.service.ts';
import { warnOfMachine } from '../modules/system/machine.service.ts';
import { deleteUnsentFiles } from '../modules/tickets/ticket-files.service.ts';
import { recordTraffic } from '../modules/usage/usage.service.ts';

interface ScheduledTask {
  /** Name of the job. Workers of versions that do not know it ignore it. */
  name: string;
  /** Minute, hour, day, month, day of the week; UTC. */
  cron: string;
  run(ctx: Ctx): Promise<unknown>;
}

/** Each is idempotent and processes the current state, so a missed or repeated run does no harm. */
const schedule: ScheduledTask[] = [
  { name: 'usage.record', cron: '* * * * *', run: recordTraffic },
  { name: 'budgets.watch', cron: '* * * * *', run: watchBudgets },
  { name: 'margins.count', cron: '* * * * *', run: countRevenue },
  { name: 'dashboard.sum', cron: '* * * * *', run: updateSums },
  { name: 'referrals.turn-month', cron: '* * * * *', run: notifyLevelChanges },
  { name: 'auth.reset-second-factors', cron: '* * * * *', run: resetDue },
  { name: 'approvals.lapse', cron: '* * * * *', run: lapseRequests },
  { name: 'proxies.fail-abandoned', cron: '* * * * *', run: failAbandoned },
  { name: 'notifications.mail', cron: '* * * * *', run: mailBroadcasts },
  { name: 'exits.watch-failing', cron: '* * * * *', run: watchFailing },
  { name: 'jobs.hasten-mails', cron: '* * * * *', run: hastenMails },
  { name: 'jobs.clean-up', cron: '*/10 * * * *', run: cleanUpJobs },
  { name: 'system.watch-machine', cron: '*/10 * * * *', run: warnOfMachine },
  // Spread over the hour.
  { name: 'nodes.watch-certificates', cron: '3 * * * *', run: warnOfCertificates },
  { name: 'auth.clean-up', cron: '7 * * * *', run: deleteExpired },
  { name: 'audit-log.clean-up', cron: '17 * * * *', run: deleteOld },
  { name: 'notifications.clean-up', cron: '27 * * * *', run: deleteOldNotifications },
  { name: 'proxies.clean-up', cron: '57 * * * *', run: deleteOldImports },
  { name: 'proxies.clean-up-changes', cron: '58 * * * *', run: deleteOldChanges },
  { name: 'connections.clean-up', cron: '47 * * * *', run: deleteOldClientAddresses },
  { name: 'exits.clean-up', cron: '37 * * * *', run: deleteOldAddresses },
  { name: 'exits.clean-up-history', cron: '39 * * * *', run: deleteOldDays },
  { name: 'rotation.clean-up', cron: '41 * * * *', run: deleteOldRotations },
  // Each chain once a day; a comparison that could not end is continued.
  { name: 'chains.compare', cron: '12 * * * *', run: (ctx) => compareChains(ctx) },
  { name: 'tickets.clean-up', cron: '47 * * * *', run: deleteUnsentFiles },
  { name: 'rates.clean-up', cron: '27 * * * *', run: deleteOldRates },
  { name: 'mails.clean-up', cron: '57 * * * *', run: deleteOldMails },
];

export function scheduledTasks(ctx: Ctx): TaskList {
  return Object.fromEntries(schedule.map((task) => [task.name, async () => void (await task.run(ctx))]));
}

/** The job key allows at most one waiting job of each: a failed one is retried until the next replaces it. */
export function cronItems(): ParsedCronItem[] {
  return parseCronItems(
    schedule.map(({ name, cron }) => ({ task: name, match: cron, identifier: name, options: { jobKey: name } })),
  );
}
