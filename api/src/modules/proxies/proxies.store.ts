import type { Proxy } from '@cellhop/contract/proxies';
import type { Ctx } from '../../ctx.ts';

export type ProxyRow = Omit<Proxy, 'price'> & { priceMicros: bigint };

export const COLUMNS = `id, host(ip) as ip, price_micros as "priceMicros", country_code as "countryCode", region, city,
            zip, isp, connection_type as "connectionType"`;

export async function release(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.query('update proxies set connection_id = null where id = $1', [id]);
}
