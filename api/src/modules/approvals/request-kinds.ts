/** The kinds of requests: their lists, and the permission that authors and approvers need. */
import type { Permission } from '@cellhop/contract/permissions';
import { type RequestKind, type RequestList, requestLists } from '@cellhop/contract/staff/lists.values';
import type { StaffTopic } from '@cellhop/contract/live.values';

const rules = {
  ADJUSTMENT: { permission: 'TRANSACTIONS_WRITE', topic: 'staff-adjustments' },
  SETTLEMENT: { permission: 'PAYMENTS_EDIT', topic: 'staff-settlements' },
  PROMO_CODE: { permission: 'PROMO_CODES_WRITE', topic: 'staff-promo-codes' },
} as const satisfies Record<RequestList, { permission: Permission; topic: StaffTopic }>;

const lists = Object.keys(requestLists) as RequestList[];

export function listOf(kind: RequestKind): RequestList {
  return lists.find((list) => requestLists[list].some((each) => each === kind))!;
}

export function permissionOf(kind: RequestKind): Permission {
  return rules[listOf(kind)].permission;
}

/** Whether the customer's referrer gains by it as well, because it credits a top-up. */
export function paysBonus(kind: RequestKind): boolean {
  return listOf(kind) === 'SETTLEMENT';
}

/** Announces changes of the list that contains the kind. */
export function topicOf(kind: RequestKind): StaffTopic {
  return rules[listOf(kind)].topic;
}
