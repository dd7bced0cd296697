import { plain } from '../endpoint.ts';
import type * as full from './timeline.ts';

export const timelineKinds = ['ACCOUNT', 'STAFF', 'MONEY', 'PURCHASE', 'END', 'TICKET', 'NOTIFICATION'] as const;
export type TimelineKind = (typeof timelineKinds)[number];

export const getTimeline = plain<typeof full.getTimeline>({
  method: 'GET',
  url: '/v1/users/admin/{id}/timeline',
  access: { permission: 'USERS_READ' },
});
