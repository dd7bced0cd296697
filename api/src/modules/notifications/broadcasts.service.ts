/** Telling something to all users, or to some: written by staff, given to its readers by a job. */
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { Ctx } from '../../ctx.ts';
import { enqueue } from '../../jobs.ts';
import * as store from './broadcasts.store.ts';
import type { NotificationText } from './notification-texts.ts';
import { sanitiseHtml } from './sanitise-html.ts';

const READERS_AT_ONCE = 1000;

export interface Broadcast {
  /** HTML as it was typed. */
  texts: Record<LanguageCode, NotificationText>;
  languageCode?: LanguageCode;
  userIds?: readonly string[];
  /** The staff member. */
  createdBy: string | null;
}

/** @returns the broadcast's id; the readers have it when the job has run */
export function broadcast(ctx: Ctx, { texts, languageCode, userIds, createdBy }: Broadcast): Promise<string> {
  const clean = ({ description, content }: NotificationText): NotificationText => ({
    description: sanitiseHtml(description, ctx.config.publicUrl),
    ...(content !== undefined && { content: sanitiseHtml(content, ctx.config.publicUrl) }),
  });
  return ctx.tx(async (ctx) => {
    const id = await store.insertBroadcast(ctx, {
      texts: { en: clean(texts.en), ru: clean(texts.ru) },
      languageCode: languageCode ?? null,
      userIds: userIds ?? null,
      createdBy,
    });
    await enqueue(ctx, 'notifications.broadcast', { broadcastId: id });
    return id;
  });
}

/** A job that is repeated begins anew: whoever has it already does not get it twice. */
export async function deliverBroadcast(ctx: Ctx, { broadcastId }: { broadcastId: string }): Promise<void> {
  let last: string | null = null;
  for (;;) {
    const readers: string[] = await store.insertForReaders(ctx, broadcastId, last, READERS_AT_ONCE);
    for (const userId of readers) ctx.changed({ userId }, 'notifications');
    if (readers.length < READERS_AT_ONCE) break;
    last = readers.at(-1)!;
  }
  await store.saveSent(ctx, broadcastId);
}
