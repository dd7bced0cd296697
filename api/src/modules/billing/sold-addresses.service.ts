/** Fills in the address that connections of the previous release were sold with, without the lock of their payer. No other code changes one. */
import type { Ctx } from '../../ctx.ts';
import { cleanUp } from '../../db/clean-up.ts';
import * as store from './sold-addresses.store.ts';

/** Each batch is a transaction of its own, so an interruption loses at most one. */
export async function fillSoldAddresses(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'addresses of connections', store.fillAddresses);
}
