/** The cap of a connection: how much traffic it may have in all. At the cap it ends (ending.service.ts). */
import { AppError } from '@cellhop/contract/errors';
import { megabytesBegun, megabytesToBytes } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import { lockConnection } from './ending.service.ts';
import { saveCap, tellEnding } from './ending.store.ts';
import { recallGrants } from './runs.store.ts';

/**
 * Nothing is granted beyond the cap. What had been granted beyond a lowered one is taken back: gateways cut the connection's
 * tunnels, report their last totals and open it again, with what the cap leaves.
 * @param capMegabytes null: no cap
 * @throws AppError NOT_CONNECTED; CAP_USED_UP for a cap that is reached already
 */
export function setCap(ctx: Ctx, id: string, capMegabytes: bigint | null): Promise<void> {
  return ctx.tx(async (ctx) => {
    const connection = await lockConnection(ctx, id);
    if (connection?.status !== 'WORK' || connection.endingReason) throw new AppError('NOT_CONNECTED');
    const capBytes = capMegabytes === null ? undefined : megabytesToBytes(capMegabytes);
    if (capBytes !== undefined && capBytes <= connection.usedBytes)
      throw new AppError('CAP_USED_UP', { megabytes: Number(megabytesBegun(connection.usedBytes)) });
    await saveCap(ctx, id, capMegabytes);
    if (capBytes !== undefined && capBytes < connection.grantedBytes) {
      await recallGrants(ctx, id);
      tellEnding(ctx, [id]);
    }
    ctx.changed({ userId: connection.userId }, 'connections');
  });
}
