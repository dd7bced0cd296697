import type { Permission } from '@cellhop/contract/permissions';
import type { Ctx } from '../ctx.ts';
import type { DemoProxy } from './demo-proxies.ts';

export async function insertRole(ctx: Ctx, name: string, permissions: readonly Permission[]): Promise<void> {
  await ctx.db.query('insert into roles (name, permissions) values ($1, $2) on conflict (name) do nothing', [
    name,
    permissions,
  ]);
}

/** Serializes processes that start at the same time. */
export async function lockSeeding(ctx: Ctx): Promise<void> {
  await ctx.db.query('select pg_advisory_xact_lock(727002)');
}

export async function hasUsers(ctx: Ctx): Promise<boolean> {
  return (await ctx.db.query('select from users limit 1')).length > 0;
}

export async function insertPromoCode(
  ctx: Ctx,
  code: string,
  userId: string,
  trialCreditMicros: bigint,
): Promise<void> {
  await ctx.db.query('insert into promo_codes (code, user_id, trial_credit_micros) values ($1, $2, $3)', [
    code,
    userId,
    trialCreditMicros,
  ]);
}

export async function insertProxies(ctx: Ctx, proxies: readonly DemoProxy[]): Promise<void> {
  await ctx.db.query(
    `insert into proxies (ip, price_micros, country_code, region, city, zip, isp, connection_type, exit)
     select * from unnest($1::inet[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                          $8::text[], $9::jsonb[])
     on conflict (ip) do nothing`,
    [
      proxies.map((proxy) => proxy.ip),
      proxies.map((proxy) => proxy.priceMicros),
      proxies.map((proxy) => proxy.countryCode),
      proxies.map((proxy) => proxy.region),
      proxies.map((proxy) => proxy.city),
      proxies.map((proxy) => proxy.zip),
      proxies.map((proxy) => proxy.isp),
      proxies.map((proxy) => proxy.connectionType),
      proxies.map((proxy) => JSON.stringify(proxy.exit)),
    ],
  );
}
