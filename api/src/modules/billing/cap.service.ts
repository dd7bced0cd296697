/** The traffic cap of a connection. A connection that reaches it ends (ending.service.ts). */
import { AppError } from '@cellhop/contract/errors';
import { startedMegabytes, megabytesToBytes } from '@cellhop/contract/units';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ctx } from '../../ctx.ts';
import { lockConnection } from './ending.service.ts';
import { findBoughtCap, publishEnding, saveBoughtCap, saveCap } from './ending.store.ts';
import { hasRecalledGrants, recallGrants } from './runs.store.ts';

const RETURN_LIMIT_MS = 1_000;
const RETURN_POLL_MS = 20;

/**
 * Nothing is granted beyond the cap. Grants beyond a lowered cap are recalled: gateways close the connection's tunnels, report their
 * final totals and open it again with the remaining bytes.
 * @param capMegabytes null: no cap
 * @throws AppError NOT_CONNECTED; CAP_USED_UP if the cap is already reached
 */
export function setCap(ctx: Ctx, id: string, capMegabytes: bigint | null): Promise<void> {
  return ctx.tx(async (ctx) => {
    const connection = await lockConnection(ctx, id);
    if (connection?.status !== 'WORK' || connection.endingReason) throw new AppError('NOT_CONNECTED');
    const capBytes = capMegabytes === null ? undefined : megabytesToBytes(capMegabytes);
    if (capBytes !== undefined && capBytes <= connection.usedBytes)
      throw new AppError('CAP_USED_UP', { megabytes: Number(startedMegabytes(connection.usedBytes)) });
    await saveCap(ctx, id, capMegabytes);
    if (capBytes !== undefined && capBytes < connection.grantedBytes) {
      await recallGrants(ctx, id);
      publishEnding(ctx, [id]);
    }
    ctx.changed({ userId: connection.userId }, 'connections');
  });
}

/** In the transaction of the purchase. A repeated request is compared with this cap, because the current one may have been changed. */
export async function setBoughtCap(ctx: Ctx, id: string, capMegabytes: bigint): Promise<void> {
  await setCap(ctx, id, capMegabytes);
  await saveBoughtCap(ctx, id, capMegabytes);
}

export async function isBoughtWithCap(ctx: Ctx, id: string, capMegabytes: bigint | null): Promise<boolean> {
  return (await findBoughtCap(ctx, id)) === capMegabytes;
}

/**
 * After a cap was lowered, waits until gateways have returned the recalled grants of the connection: from then on no traffic exceeds the
 * cap. A gateway that does not respond within a second may still use its grant.
 */
export async function grantsReturned(ctx: Ctx, id: string): Promise<void> {
  const deadline = performance.now() + RETURN_LIMIT_MS;
  // Polls the database, because another API process may receive the last report.
  while ((await hasRecalledGrants(ctx, id)) && performance.now() < deadline) await pause(RETURN_POLL_MS);
}
