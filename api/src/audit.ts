/** Does the money add up? Asked by the worker every hour, and by the fault scripts and tests after what they did. */
import type { Ctx } from './ctx.ts';
import { findBrokenConnections } from './modules/connections/audit.store.ts';
import { findBrokenDeposits } from './modules/invoices/audit.store.ts';
import { findBrokenInvariants } from './modules/ledger/ledger.service.ts';

/** Sentences about what is wrong; empty when all is well. From one snapshot, so a running shop does not disturb it. */
export async function audit(ctx: Ctx): Promise<string[]> {
  return ctx.tx(async (ctx) => {
    await ctx.db.query('set transaction isolation level repeatable read, read only');
    return [
      ...(await findBrokenInvariants(ctx)),
      ...(await findBrokenConnections(ctx)),
      ...(await findBrokenDeposits(ctx)),
    ];
  });
}

/** An operator must see this: it is the one alarm about money. */
export async function auditAndLog(ctx: Ctx): Promise<void> {
  const broken = await audit(ctx);
  if (broken.length > 0)
    ctx.log.fatal({ broken: broken.slice(0, 100), count: broken.length }, 'the money does not add up');
}
