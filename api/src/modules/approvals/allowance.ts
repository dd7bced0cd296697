/** What staff may move without a second person: less than the setting by what the author and the customer have moved in a day. */
import { APPROVAL_SUM_HOURS } from '@cellhop/contract/limits';
import type { Ctx } from '../../ctx.ts';
import type { RequestRow } from './approvals.store.ts';
import { sumRecent } from './persons.store.ts';
import { paysBonus } from './request-kinds.ts';

/**
 * How much the author may move without approval now. Nothing if they gain by it themselves.
 * @param userId null: no customer is known yet
 * @returns undefined: any amount
 */
export async function allowanceMicros(
  ctx: Ctx,
  authorId: string,
  kind: RequestRow['kind'],
  userId: string | null,
): Promise<bigint | undefined> {
  const { approvalMicros } = ctx.config;
  if (approvalMicros === undefined) return undefined;
  const sums = await sumRecent(ctx, authorId, userId, APPROVAL_SUM_HOURS);
  if (sums.isCustomer || userId === authorId || (paysBonus(kind) && sums.isReferrer)) return 0n;
  const used = sums.authorMicros > sums.customerMicros ? sums.authorMicros : sums.customerMicros;
  return used < approvalMicros ? approvalMicros - used : 0n;
}
