import type { EndReason } from '@cellhop/contract/connections';

/** Ends that customers do not cause themselves and may want to act on at once, so they are mailed too. */
export const mailedReasons = ['NO_MONEY', 'IDLE', 'EXIT_LOST'] as const satisfies EndReason[];
export type MailedReason = (typeof mailedReasons)[number];

export function isMailedReason(reason: EndReason): reason is MailedReason {
  return mailedReasons.some((each) => each === reason);
}
