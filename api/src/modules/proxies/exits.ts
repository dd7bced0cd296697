import type { Ctx } from '../../ctx.ts';
import * as store from './exits.store.ts';

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Gives exits to proxies that were stored without one, by versions before exits had rows or by a statement that names none. Where
 * there are several nodes it does nothing: only the operator knows which of them serves a proxy.
 * @param batchRows locked at a time
 */
export async function assignExits(ctx: Ctx, batchRows = 1000): Promise<void> {
  if (!(await store.hasProxyWithoutExit(ctx))) return;
  for (let afterId: string | null = FIRST_ID; afterId !== null;)
    afterId = await store.assignExits(ctx, afterId, batchRows);
}
