import type { Ctx } from '../../api/src/ctx.ts';

/**
 * Inserts the catalogue of a large operator: 190 countries, the largest with an eighth of all proxies, cities and ZIPs in
 * proportion, seven operators per country, two of them international, five prices per country. Deterministic.
 */
export async function insertProxies(ctx: Ctx, from: number, to: number): Promise<void> {
  // In batches, because the pool's statement timeout is 15 seconds.
  for (let first = from; first <= to; first += BATCH_SIZE) {
    await ctx.db.query(INSERT, [first, Math.min(first + BATCH_SIZE - 1, to)]);
  }
}

/** Sets one price for some proxies, for the purchases. @returns their ids */
export async function setPrice(ctx: Ctx, priceMicros: bigint, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let first = 1; first <= count; first += BATCH_SIZE) {
    const rows = await ctx.db.query<{ id: string }>(
      `update proxies set price_micros = $1 where ip between '11.0.0.0'::inet + $2::bigint and '11.0.0.0'::inet + $3::bigint returning id`,
      [priceMicros, first, first + BATCH_SIZE - 1],
    );
    ids.push(...rows.map((row) => row.id));
  }
  return ids;
}

const BATCH_SIZE = 10_000;

/** All values are derived from the number n; `hashint8extended(n, seed)` is the random source. */
const INSERT = `
  insert into proxies (ip, price_micros, country_code, region, city, zip, isp, connection_type, exit_id)
  select '11.0.0.0'::inet + n, 10000 * (40 + country % 12 * 10 + dice(n, 5) * 5),
         chr(65 + country / 26) || chr(65 + country % 26),
         'Region ' || country || '-' || city / 8,
         'City ' || country || '-' || city,
         lpad((country * 300 + city)::text, 5, '0') || '-' || dice(n + 1, 12),
         case when isp < 2 then (array['Vodafone', 'Orange', 'Telefonica', 'T-Mobile', 'Airtel', 'Claro'])[1 + (country + isp) % 6]
              else 'Operator ' || country || '-' || isp end,
         (array['LTE', 'LTE', 'LTE', 'LTE', 'LTE', 'LTE', '5G', '5G', '5G', '3G'])[1 + dice(n + 2, 10)],
         (select id from exits limit 1)
    from generate_series($1::bigint, $2::bigint) as n
   cross join lateral (select skewed(n + 3, 2.5, 190) as country) as countries
   cross join lateral (select skewed(n + 4, 2, 6 + 400 / (country + 2)) as city, skewed(n + 5, 1.5, 7) as isp) as places`;

/** Creates a uniform random function, and one that prefers low numbers. */
export async function createRandomFunctions(ctx: Ctx): Promise<void> {
  await ctx.db.query(`
    create function dice(n bigint, sides integer) returns integer language sql immutable
    return (abs(hashint8extended(n, sides) % sides))::integer`);
  await ctx.db.query(`
    create function skewed(n bigint, exponent double precision, sides integer) returns integer language sql immutable
    return floor(sides * power(abs(hashint8extended(n, 7) % 1000000) / 1000000.0, exponent))::integer`);
}
