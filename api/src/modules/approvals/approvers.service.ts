/** Who can approve what: named before a request is made, notified when it is, and with a number at their menu item until it is decided. */
import { APPROVERS_NAMED_MAX, APPROVERS_NOTIFIED_MAX, PENDING_COUNTED_MAX } from '@cellhop/contract/limits';
import { requestKinds, type RequestList, requestLists } from '@cellhop/contract/staff/lists.values';
import { toDollars } from '@cellhop/contract/units';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import { notifyAll } from '../notifications/notifications.service.ts';
import * as users from '../users/users.service.ts';
import { allowanceMicros } from './allowance.ts';
import * as store from './approvals.store.ts';
import { findPersons } from './approvers.store.ts';
import { mayDecide, type Parties } from './parties.ts';
import { listOf, permissionOf } from './request-kinds.ts';

/** @param userId the customer; undefined: not known yet */
export async function readAllowance(
  ctx: Ctx,
  { userId: authorId }: Pick<Actor, 'userId'>,
  list: RequestList,
  userId: string | undefined,
) {
  const [kind] = requestLists[list];
  const customerId = userId ?? null;
  const [allowed, persons] = [
    await allowanceMicros(ctx, authorId, kind, customerId),
    await findPersons(ctx, authorId, customerId),
  ];
  const approvers = await findApprovers(ctx, { ...persons, kind, authorId, userId: customerId });
  return {
    withoutApproval: allowed === undefined ? null : toDollars(allowed),
    approvers: approvers.slice(0, APPROVERS_NAMED_MAX).map(({ id, email }) => ({ id, email })),
  };
}

async function findApprovers(ctx: Ctx, parties: Parties) {
  const holders = await users.listHolders(ctx, permissionOf(parties.kind), APPROVERS_NOTIFIED_MAX);
  return holders.filter(({ id, person }) => mayDecide(parties, id, person));
}

/** Notifies those who can approve a request that waits. */
export async function notifyApprovers(ctx: Ctx, request: store.RequestRow): Promise<void> {
  const details = { amount: toDollars(request.amountMicros), list: listOf(request.kind) };
  const approvers = await findApprovers(ctx, request);
  await notifyAll(
    ctx,
    approvers.map(({ id: userId }) => ({
      userId,
      idempotencyKey: `request:${request.id}`,
      event: { kind: 'APPROVAL_REQUESTED' as const, details },
    })),
  );
}

/** Requests of others that the member of staff may decide, at most PENDING_COUNTED_MAX, and the list with the oldest one. */
export async function countForApprover(ctx: Ctx, { userId, permissions }: Pick<Actor, 'userId' | 'permissions'>) {
  const kinds = requestKinds.filter((kind) => permissions.has(permissionOf(kind)));
  if (kinds.length === 0) return { count: 0, list: null };
  const [waiting, person] = [
    await store.listPending(ctx, kinds, PENDING_COUNTED_MAX),
    await users.findPerson(ctx, userId),
  ];
  const decidable = waiting.filter((request) => mayDecide(request, userId, person));
  return { count: decidable.length, list: decidable[0] === undefined ? null : listOf(decidable[0].kind) };
}
