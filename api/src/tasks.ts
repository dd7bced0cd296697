import type { Task, TaskList } from 'graphile-worker';
import type { Ctx } from './ctx.ts';
import type { Jobs } from './jobs.ts';
import { sendMail } from './mail/mailer.ts';
import { deliverBroadcast } from './modules/notifications/broadcasts.service.ts';

type Handlers = { [Name in keyof Jobs]: (ctx: Ctx, payload: Jobs[Name]) => Promise<void> };

const handlers: Handlers = {
  'mail.send': sendMail,
  'mail.none': async () => {},
  'notifications.broadcast': deliverBroadcast,
};

/** What the job runner calls for each kind of job. */
export function tasks(ctx: Ctx): TaskList {
  const list: Record<string, Task> = {};
  // Payloads were typed when they were enqueued, by the same program version's `Jobs`.
  for (const [name, handle] of Object.entries(handlers)) list[name] = (payload) => handle(ctx, payload as never);
  return list;
}
