/** Live events: which topics have changed for the signed-in user, or for staff, never the data. Clients fetch the data as usual. */
import { z } from 'zod';
import { liveTopics, staffTopics, type LiveTopic, type StaffTopic } from './live.values.ts';

/** All that streams carry. */
export const streamedTopics: readonly (LiveTopic | StaffTopic)[] = [
  ...liveTopics,
  ...(Object.keys(staffTopics) as StaffTopic[]),
];

/**
 * - `open`: the stream has begun.
 * - `changed`: the data of these topics has changed.
 * - `refetch`: changes may have been missed; all topics count as changed.
 */
export const liveEventNames = ['open', 'changed', 'refetch'] as const;
export type LiveEventName = (typeof liveEventNames)[number];

/** The data of `changed`. Unknown topics come from a newer server; clients ignore them. */
export const changedSchema = z.object({ topics: z.array(z.string()) });
