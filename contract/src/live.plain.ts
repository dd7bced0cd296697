/** Returns `text/event-stream`, so it has no typed client. Requires the access token like other endpoints. */
export const LIVE_EVENTS_PATH = '/v1/events';

export const liveTopics = ['balance', 'connections', 'invoices', 'notifications', 'tickets'] as const;

export type LiveTopic = (typeof liveTopics)[number];
