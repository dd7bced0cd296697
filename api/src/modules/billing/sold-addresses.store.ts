import type { Ctx } from '../../ctx.ts';

/**
 * Needs no lock of the payers' accounts, because billing does not depend on the address. Skips rows that are being charged: the next run
 * finds them.
 * @returns the number of filled rows, at most `limit`
 */
export async function fillAddresses(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `with missing as (
       select connections.id, proxies.ip
         from connections join readable_proxies as proxies on proxies.id = proxy_id
        where address is null and ip is not null
        limit $1 for no key update of connections skip locked
     )
     update connections set address = ip from missing where connections.id = missing.id returning connections.id`,
    [limit],
  );
  return rows.length;
}
