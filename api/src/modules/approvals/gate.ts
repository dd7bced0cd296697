/**
 * The gate: every operation of staff that creates money for somebody passes here. It is a request with an author and a reason. A small one is
 * applied at once, all others wait for a second person. The sums of a day count for the author and for the customer, over all accounts of each.
 * The lock of the persons, the first one, keeps concurrent requests from passing the limit together.
 */
import { AppError } from '@cellhop/contract/errors';
import { APPROVAL_HOURS_MAX } from '@cellhop/contract/limits';
import type { Actor } from '../../http/actor.ts';
import type { Requester } from '../../http/requester.ts';
import type { Ctx } from '../../ctx.ts';
import { STAFF } from '../../live/changes.ts';
import * as users from '../users/users.service.ts';
import { apply, recordRequested, type RequestAction } from './application.ts';
import { allowanceMicros } from './allowance.ts';
import * as store from './approvals.store.ts';
import type { RequestRow } from './approvals.store.ts';
import { lockPersons } from './persons.store.ts';
import { notifyApprovers } from './approvers.service.ts';
import { topicOf } from './request-kinds.ts';

/** The member of staff and the request's origin. */
export interface Staff {
  actor: Pick<Actor, 'userId'>;
  requester: Requester;
}

export type NewRequest = Omit<store.NewRequest, 'isPending' | 'lapseHours' | 'authorId' | 'idempotencyKey'>;

export const NO_SUBJECT = {
  invoiceId: null,
  currency: null,
  units: null,
  creditedBeforeMicros: null,
  promoCodeId: null,
  connectionId: null,
  depositId: null,
  bodyHash: null,
} as const;

/**
 * Serializes everything that this member of staff and others do with the money of the customer.
 * @throws AppError NOT_FOUND, ACCOUNT_DELETED
 */
export async function lockForRequest(ctx: Ctx, { actor }: Staff, userId: string): Promise<users.LockedUser> {
  await lockPersons(ctx, [actor.userId, userId]);
  const user = await users.lockUser(ctx, userId);
  if (!user) throw new AppError('NOT_FOUND', { thing: 'User' });
  if (user.status === 'DELETED') throw new AppError('ACCOUNT_DELETED');
  return user;
}

/**
 * Applies the request, or lets it wait for approval. The caller has called `lockForRequest`.
 * @throws AppError IDEMPOTENCY_KEY_REUSED, SMALL_BALANCE
 */
export async function submit(ctx: Ctx, staff: Staff, request: NewRequest, key: string | null): Promise<RequestRow> {
  const { userId: authorId } = staff.actor;
  const isPending = await needsApproval(ctx, authorId, request);
  const lapseHours = APPROVAL_HOURS_MAX;
  const id = await store.insertRequest(ctx, { ...request, isPending, lapseHours, authorId, idempotencyKey: key });
  // A concurrent request for another customer used the same key.
  if (id === undefined) throw new AppError('IDEMPOTENCY_KEY_REUSED');
  const row = (await store.findRequest(ctx, id))!;
  ctx.changed(STAFF, topicOf(request.kind));
  const action: RequestAction = { ...staff, request: row };
  if (!isPending) await apply(ctx, action);
  else {
    await recordRequested(ctx, action);
    await notifyApprovers(ctx, row);
  }
  return row;
}

type Weighed = Pick<store.NewRequest, 'kind' | 'userId' | 'amountMicros'>;

export async function needsApproval(
  ctx: Ctx,
  authorId: string,
  { kind, userId, amountMicros }: Weighed,
): Promise<boolean> {
  const allowance = await allowanceMicros(ctx, authorId, kind, userId);
  const size = amountMicros < 0n ? -amountMicros : amountMicros;
  return allowance !== undefined && size > allowance;
}
