/**
 * What is done every minute or less often: the job runner makes a job of it, once for all workers. What must not wait for a minute is a
 * sweep (sweeps.ts).
 */
import { parseCronItems, type ParsedCronItem, type TaskList } from 'graphile-worker';
import type { Ctx } from './ctx.ts';
import { cleanUpJobs } from './jobs.ts';
import { deleteOld } from './modules/audit-log/audit-log.service.ts';
import { deleteExpired } from './modules/auth/auth.service.ts';
import { deleteOldNotifications } from './modules/notifications/notifications.service.ts';
import { assignExits } from './modules/proxies/proxies.service.ts';
import { turnMonth } from './modules/referrals/month-turn.service.ts';
import { recordTraffic } from './modules/usage/usage.service.ts';

interface ScheduledTask {
  /** Of its job. A worker of another version that does not know it leaves it alone. */
  name: string;
  /** Minute, hour, day, month, day of the week; UTC. */
  cron: string;
  run(ctx: Ctx): Promise<unknown>;
}

/** Each looks at what is there, so one that was missed needs no other, and one that is done twice changes nothing. */
const schedule: ScheduledTask[] = [
  { name: 'usage.record', cron: '* * * * *', run: recordTraffic },
  { name: 'referrals.turn-month', cron: '* * * * *', run: turnMonth },
  { name: 'jobs.clean-up', cron: '*/10 * * * *', run: cleanUpJobs },
  // Not all at the full hour.
  { name: 'auth.clean-up', cron: '7 * * * *', run: deleteExpired },
  { name: 'audit-log.clean-up', cron: '17 * * * *', run: deleteOld },
  { name: 'notifications.clean-up', cron: '27 * * * *', run: deleteOldNotifications },
  { name: 'proxies.assign-exits', cron: '37 * * * *', run: (ctx) => assignExits(ctx) },
];

export function scheduledTasks(ctx: Ctx): TaskList {
  return Object.fromEntries(schedule.map((task) => [task.name, async () => void (await task.run(ctx))]));
}

/** At most one job of each waits: one that fails is tried again until the next one takes its place. */
export function cronItems(): ParsedCronItem[] {
  return parseCronItems(
    schedule.map(({ name, cron }) => ({ task: name, match: cron, identifier: name, options: { jobKey: name } })),
  );
}
