/** Where names of destinations behind another proxy are resolved, where staff decide it. */
import { AppError } from '@cellhop/contract/errors';
import type { ExitNamesChange } from '@cellhop/contract/staff/exit-checks';
import type { Ctx } from '../../ctx.ts';
import { STAFF } from '../../live/changes.ts';
import { record } from '../audit-log/audit-log.service.ts';
import type { Editor } from '../proxies/inventory.service.ts';
import { requestCheck } from './exit-checks.service.ts';
import { saveNames } from './exit-names.store.ts';

/** The exit is checked now, which also finds out whether DNS works through it. @throws AppError NOT_FOUND */
export async function changeNames(
  ctx: Ctx,
  { actorId, requester }: Editor,
  exitId: string,
  { names, reason }: ExitNamesChange,
): Promise<void> {
  await ctx.tx(async (ctx) => {
    const before = await saveNames(ctx, exitId, names);
    if (before === undefined) throw new AppError('NOT_FOUND', { thing: 'Exit' });
    await requestCheck(ctx, exitId);
    await record(ctx, {
      action: 'EXIT_NAMES_CHANGED',
      actorId,
      requester,
      subject: { type: 'PROXY' },
      reason,
      details: { exitId },
      before: { names: before },
      after: { names },
    });
    ctx.changed(STAFF, 'staff-catalogue');
  });
}
