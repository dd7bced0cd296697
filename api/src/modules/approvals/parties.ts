import type { RequestRow } from './approvals.store.ts';
import { paysBonus } from './request-kinds.ts';

/** Those who ask and those who gain. */
export type Parties = Pick<RequestRow, 'kind' | 'authorId' | 'authorPerson' | 'customerPerson' | 'referrerPerson'> & {
  /** Null: no customer is known yet. */
  userId: string | null;
};

/** Whether a member of staff may approve a request: they are neither its author nor somebody who gains by it, with any account. */
export function mayDecide(request: Parties, userId: string, person: string | null | undefined): boolean {
  const { authorId, userId: customerId, authorPerson, customerPerson, referrerPerson, kind } = request;
  if ([authorId, customerId].includes(userId)) return false;
  if (person === null || person === undefined) return false;
  return ![authorPerson, customerPerson, paysBonus(kind) ? referrerPerson : null].includes(person);
}
