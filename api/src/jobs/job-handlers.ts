import type { Task, TaskList } from 'graphile-worker';
import type { Ctx } from '../ctx.ts';
import { payloadSchemas, type Jobs } from './jobs.ts';
import { deliver } from '../modules/mails/mails.service.ts';
import { deliverBroadcast, deliverNews } from '../modules/notifications/broadcast-delivery.service.ts';
import { applyChange } from '../modules/proxies/inventory-changes.service.ts';
import { followDraining } from '../modules/proxies/inventory.service.ts';

/** Information for handlers about the attempt. */
interface Attempt {
  isLastAttempt: boolean;
}

type Handle<Payload> = (ctx: Ctx, payload: Payload, attempt: Attempt) => Promise<void>;
type Handlers = { [Name in keyof Jobs]: Handle<Jobs[Name]> };

const handlers: Handlers = {
  'mail.deliver': deliver,
  'mail.deliver-news': deliverNews,
  'mail.deliver-notice': deliver,
  'mail.deliver-alert': deliver,
  'mail.none': async () => {},
  'notifications.deliver': deliverBroadcast,
  'notifications.deliver-scheduled': deliverBroadcast,
  'proxies.follow-draining': (ctx, payload) => followDraining(ctx, payload),
  'proxies.change': applyChange,
};

/** The task list of the job runner. */
export function jobHandlers(ctx: Ctx): TaskList {
  return Object.fromEntries(keysIn(handlers).map((name) => [name, toTask(ctx, name)]));
}

function toTask(ctx: Ctx, name: keyof Jobs): Task {
  // The types lose that handler and payload schema have the same name.
  const handle = handlers[name] as Handle<unknown>;
  return async (payload, { job }) =>
    handle(ctx, readPayload(name, payload), { isLastAttempt: job.attempts >= job.max_attempts });
}

/**
 * @throws Error for an invalid payload. The job is retried like any failed one, because a worker of a newer version may be able to
 * parse it. The message contains field names but no values, because it is logged and stored.
 */
function readPayload(name: keyof Jobs, payload: unknown): unknown {
  const { success, data, error } = payloadSchemas[name].safeParse(payload);
  if (success) return data;
  const places = error.issues.map(({ path, message }) => `${path.join('.') || 'payload'}: ${message}`);
  throw new Error(`the payload of the job "${name}" cannot be read: ${places.join('; ')}`);
}

function keysIn<Key extends string>(object: Record<Key, unknown>): Key[] {
  return Object.keys(object) as Key[];
}
