/** Live events: what has changed for the signed-in user, never the data itself. Clients ask for that as they always do. */
import { z } from 'zod';

/** Answers with `text/event-stream`, so it has no typed client. Takes the access token as every endpoint does. */
export const LIVE_EVENTS_PATH = '/v1/events';

export const liveTopics = ['balance', 'connections', 'invoices', 'notifications', 'tickets'] as const;
export type LiveTopic = (typeof liveTopics)[number];

/**
 * - `open`: the stream has begun.
 * - `changed`: what is behind these topics is no longer what it was.
 * - `refetch`: changes may have been missed; all topics count as changed.
 */
export const liveEventNames = ['open', 'changed', 'refetch'] as const;
export type LiveEventName = (typeof liveEventNames)[number];

/** The data of `changed`. Topics that a client does not know come from a newer server, and are left alone. */
export const changedSchema = z.object({ topics: z.array(z.string()) });
