/** Sends a test of a broadcast to its author alone. */
import { TEST_BROADCASTS_PER_HOUR } from '@cellhop/contract/limits';
import { AppError } from '@cellhop/contract/errors';
import { languageCodeSchema } from '@cellhop/contract/schemas';
import type { BroadcastTexts } from '@cellhop/contract/staff/notifications.forms';
import { randomUUID } from 'node:crypto';
import type { Ctx } from '../../ctx.ts';
import type { Actor } from '../../http/actor.ts';
import type { Requester } from '../../http/requester.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { send } from '../mails/mails.service.ts';
import * as users from '../users/users.service.ts';
import { toNewsMail } from './news-mail.ts';
import { notify } from './notifications.service.ts';
import * as store from './notifications.store.ts';
import { sanitizeTexts } from './sanitise-html.ts';

/** Of the keys of these notifications. */
const PREFIX = 'broadcast-test:';
const MAIL_EXPIRY_MS = 60 * 60 * 1000;

interface Test {
  texts: BroadcastTexts;
  isMailed: boolean;
}

/**
 * Notifies the caller of each text, and mails it.
 * @returns the number of texts
 * @throws AppError VALIDATION, RATE_LIMITED
 */
export function testBroadcast(
  ctx: Ctx,
  { userId }: Pick<Actor, 'userId'>,
  { texts, isMailed }: Test,
  requester: Requester,
): Promise<{ count: number }> {
  const clean = sanitizeTexts(ctx, texts);
  return ctx.tx(async (ctx) => {
    // Serializes concurrent tests of the caller, so that the limit holds.
    await users.lockUser(ctx, userId);
    const { email } = (await users.findUser(ctx, userId))!;
    const id = randomUUID();
    let count = 0;
    for (const languageCode of languageCodeSchema.options) {
      const text = clean[languageCode];
      if (text === undefined) continue;
      count += 1;
      await notify(ctx, userId, `${PREFIX}${id}:${languageCode}`, { kind: 'MESSAGE', details: text });
      const mail = toNewsMail(ctx.config, { id: userId, email, languageCode }, text);
      if (isMailed) await send(ctx, userId, mail, new Date(Date.now() + MAIL_EXPIRY_MS));
    }
    const recent = await store.countRecentTests(ctx, userId, PREFIX);
    if (recent.count > TEST_BROADCASTS_PER_HOUR) throw AppError.rateLimited(Math.max(1, recent.untilFewerSeconds));
    await record(ctx, {
      action: 'BROADCAST_TESTED',
      actorId: userId,
      subject: { type: 'BROADCAST' },
      requester,
      after: { en: clean.en?.description ?? null, ru: clean.ru?.description ?? null, isMailed },
    });
    return { count };
  });
}
