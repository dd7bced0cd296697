/**
 * The server announces each change to all tabs of the user, also to the tab that made it. That tab has already cached the response, so
 * the event would only fetch the same data again.
 */
import type { Topic } from '../data/query.ts';

/** The event may arrive before the response, or shortly after it. */
const OWN_EVENT_MAX_MS = 2000;

const expected = new Map<Topic, number>();

/** Ignores the next event of the topic, until shortly after the action has ended. Later ones are other changes. */
export async function withoutOwnEvent<T>(topic: Topic, action: () => Promise<T>): Promise<T> {
  expected.set(topic, Infinity);
  try {
    return await action();
  } finally {
    if (expected.has(topic)) expected.set(topic, Date.now() + OWN_EVENT_MAX_MS);
  }
}

/** @returns whether an event of the topic announces this tab's own change */
export function takeOwnEvent(topic: Topic): boolean {
  const until = expected.get(topic);
  expected.delete(topic);
  return until !== undefined && Date.now() < until;
}
