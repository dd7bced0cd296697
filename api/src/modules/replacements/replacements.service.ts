/** Replaces connections whose exits are not as sold. What it costs is in billing/, what a check has found in gateway/. */
import { AppError } from '@cellhop/contract/errors';
import type { Replacement } from '@cellhop/contract/replacements';
import type { Ctx } from '../../ctx.ts';
import type { Actor } from '../../http/actor.ts';
import { refundAtEnd, replaceConnection } from '../billing/replacements.service.ts';
import { requireOwn, showWithBalance } from '../connections/connections.service.ts';
import { isReplaceable } from '../gateway/connection-checks.service.ts';

/**
 * A repeated request, or one at the same time, replaces nothing again.
 * @throws AppError NOT_FOUND, NOT_CONNECTED, NOT_REPLACEABLE, PROXY_NOT_FOUND, SMALL_BALANCE, RATE_LIMITED; then nothing has changed
 */
export async function replaceOwn(ctx: Ctx, actor: Actor, id: string): Promise<Replacement> {
  await requireOwn(ctx, actor, id);
  const newId = await replaceConnection(ctx, id, async (ctx) => {
    if (!(await isReplaceable(ctx, id))) throw new AppError('NOT_REPLACEABLE');
  });
  const { currentBalance, ...connection } = await showWithBalance(ctx, actor, newId ?? id);
  return { isReplaced: newId !== null, refund: await refundAtEnd(ctx, id), connection, currentBalance };
}
