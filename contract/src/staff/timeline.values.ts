export const timelineKinds = ['ACCOUNT', 'STAFF', 'MONEY', 'PURCHASE', 'END', 'TICKET', 'NOTIFICATION'] as const;
export type TimelineKind = (typeof timelineKinds)[number];
