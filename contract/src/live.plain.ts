/** Answers with `text/event-stream`, so it has no typed client. Takes the access token as every endpoint does. */
export const LIVE_EVENTS_PATH = '/v1/events';

export const liveTopics = ['balance', 'connections', 'invoices', 'notifications', 'tickets'] as const;

export type LiveTopic = (typeof liveTopics)[number];
