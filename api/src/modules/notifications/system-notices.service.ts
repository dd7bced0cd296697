/** What those who see the state of the system are told, in the app and by email. */
import type { Ctx } from '../../ctx.ts';
import { mailTexts } from '../../mail/texts.ts';
import { send } from '../mails/mails.service.ts';
import * as users from '../users/users.service.ts';
import { notifyAll } from './notifications.service.ts';

const MAILED_MAX = 50;

type SystemNotice =
  | 'database-restored'
  | 'disk-full'
  | 'backup-late'
  | 'exits-failing'
  | 'certificate-ending'
  | 'certificate-expired';

/** Each of them once for each key, whichever program notices it. */
export function tellSystemStaff(ctx: Ctx, idempotencyKey: string, template: SystemNotice): Promise<void> {
  return ctx.tx(async (ctx) => {
    const holders = await users.listHolders(ctx, 'SYSTEM_READ', MAILED_MAX);
    const notices = holders.map(({ id: userId, languageCode }) => ({
      userId,
      // Keys of messages are unique among all users.
      idempotencyKey: `${idempotencyKey}:${userId}`,
      event: { kind: 'MESSAGE' as const, details: { description: mailTexts[languageCode][template].title } },
    }));
    const notified = new Set(await notifyAll(ctx, notices));
    for (const { id, email: to, languageCode } of holders.filter((each) => notified.has(each.id))) {
      const values = { link: `${ctx.config.publicUrl}/admin` };
      await send(ctx, id, { template, to, languageCode, values }, null);
    }
  });
}
