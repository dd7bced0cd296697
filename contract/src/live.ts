/** Live events: what has changed for the signed-in user, never the data itself. Clients ask for that as they always do. */
import { z } from 'zod';

export { LIVE_EVENTS_PATH, liveTopics, type LiveTopic } from './live.plain.ts';

/**
 * - `open`: the stream has begun.
 * - `changed`: what is behind these topics is no longer what it was.
 * - `refetch`: changes may have been missed; all topics count as changed.
 */
export const liveEventNames = ['open', 'changed', 'refetch'] as const;
export type LiveEventName = (typeof liveEventNames)[number];

/** The data of `changed`. Topics that a client does not know come from a newer server, and are left alone. */
export const changedSchema = z.object({ topics: z.array(z.string()) });
