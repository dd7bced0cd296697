import { connect } from '@cellhop/contract/connections';
import { filterGroups } from '@cellhop/contract/places.values';
import { getProxyFilter, searchProxies, type Proxy, type ProxyQuery } from '@cellhop/contract/proxies';
import { toDollars } from '@cellhop/contract/units';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProxy, createUser, defaultExit, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { registerNode } from '../gateway/gateway.service.ts';
import { refreshCounts } from './proxies.service.ts';
import { scaled } from '../../../../tools/test-scale.ts';

let testApp: TestApp;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
  user = await createUser(testApp, { balanceMicros: 10_000_000n });
});
afterAll(() => testApp.stop());

const search = async (query: ProxyQuery) => (await user.call(searchProxies, { query })).data;
/** Counts as the worker does when a count is due. */
async function count() {
  await testApp.database.query("update proxy_counts set counted_at = counted_at - interval '1 hour'");
  await refreshCounts(testApp.ctx);
}

describe('search', () => {
  test('combines groups with AND and values with OR, and shows free proxies only', async () => {
    const isp = randomUUID();
    const berlin = await createProxy(testApp, { isp, city: 'Berlin', countryCode: 'DE' });
    await createProxy(testApp, { isp, city: 'Munich', countryCode: 'DE' });
    await createProxy(testApp, { isp, city: 'Vienna', countryCode: 'AT' });
    await createProxy(testApp, { isp, city: 'Vienna', countryCode: 'AT', isHealthy: false });
    expect(await search({ isp: [isp] })).toHaveLength(3);
    expect(await search({ isp: [isp, isp] })).toHaveLength(3);
    expect(await search({ isp: [isp], city: ['Berlin', 'Vienna'] })).toHaveLength(2);
    expect(await search({ isp: [isp], city: ['Berlin', 'Vienna'], country: ['DE'] })).toHaveLength(1);
    expect(await search({ isp: [isp], city: ['Berlin'], country: ['AT'] })).toEqual([]);
    await user.call(connect, { body: { id: berlin, price: 0.8 } });
    expect(await search({ isp: [isp], city: ['Berlin'] })).toEqual([]);
  });

  test('a value only matches in its own group', async () => {
    const name = randomUUID();
    await createProxy(testApp, { region: name });
    expect(await search({ region: [name] })).toHaveLength(1);
    expect(await search({ city: [name] })).toEqual([]);
  });

  test('shows the 50 cheapest, always in the same order', async () => {
    const region = randomUUID();
    const prices = Array.from({ length: 60 }, (_, index) => 500_000n + BigInt((index * 7) % 60) * 10_000n);
    await Promise.all(prices.map((priceMicros) => createProxy(testApp, { region, priceMicros })));
    const found = await search({ region: [region] });
    expect(found.map(({ price }) => price)).toEqual(Array.from({ length: 50 }, (_, index) => (50 + index) / 100));
    expect(await search({ region: [region] })).toEqual(found);
  });

  test('refuses unknown groups, empty values, long values and long lists, and names the field', async () => {
    const refused: [object, string][] = [
      [{ planet: ['Mars'] }, 'query.planet'],
      [{ city: [''] }, 'query.city.0'],
      [{ isp: ['x'.repeat(121)] }, 'query.isp.0'],
      [{ zip: Array.from({ length: 101 }, () => '1') }, 'query.zip'],
    ];
    for (const [query, path] of refused)
      await expect(search(query)).rejects.toMatchObject({
        status: 400,
        code: 'VALIDATION',
        body: { details: [{ path }] },
      });
    expect(await search({ city: ["'; drop table proxies; --"] })).toEqual([]);
  });

  test('fails with an error after its time limit', async () => {
    await testApp.ctx.tx(async (ctx) => {
      await ctx.db.query('lock table proxies in access exclusive mode');
      await expect(search({ city: ['Berlin'] })).rejects.toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    });
  });
});

/**
 * 30,000 proxies where lists are cut early and a walk is not enough: two countries, each with its own operators, and
 * one operator in both.
 */
describe('search in a larger catalogue', () => {
  let all: Proxy[];
  beforeAll(async () => {
    const rows = await testApp.database.query<Omit<Proxy, 'price'> & { priceMicros: bigint }>(
      `insert into proxies (ip, price_micros, country_code, region, city, zip, isp, connection_type, exit_id)
       select '10.0.0.0'::inet + n, 100000 * (1 + n % 7) + 100000 * (n % 2), case n % 2 when 0 then 'XA' else 'XB' end,
              'region ' || n % 4, 'city ' || n % 40, 'zip ' || n % 400,
              case when n % 11 = 0 then 'both' else 'operator ' || n % 4 end, case n % 50 when 0 then '3G' else 'LTE' end,
              $1
         from generate_series(1, 30000) as n
       returning id, host(ip) as ip, price_micros as "priceMicros", country_code as "countryCode", region, city, zip,
                 isp, connection_type as "connectionType"`,
      [await defaultExit(testApp)],
    );
    await testApp.database.query('analyze proxies');
    all = rows.map(({ priceMicros, ...proxy }) => ({ ...proxy, price: toDollars(priceMicros) }));
  });

  const values = {
    country: ['XA', 'XB', 'XC'],
    city: Array.from({ length: 41 }, (_, n) => `city ${n}`),
    region: Array.from({ length: 5 }, (_, n) => `region ${n}`),
    zip: Array.from({ length: 401 }, (_, n) => `zip ${n}`),
    isp: [...Array.from({ length: 5 }, (_, n) => `operator ${n}`), 'both'],
    connectionType: ['LTE', '3G', '2G'],
  };
  const query = fc.record(
    Object.fromEntries(
      filterGroups.map((group) => [
        group,
        fc.subarray(values[group], { minLength: 1, maxLength: Math.min(100, values[group].length) }),
      ]),
    ) as { [Group in keyof typeof values]: fc.Arbitrary<string[]> },
    { requiredKeys: [] },
  );
  const matching = (filter: ProxyQuery) =>
    all.filter((proxy) =>
      filterGroups.every((group) => {
        const value = group === 'country' ? proxy.countryCode : proxy[group];
        return filter[group]?.includes(value) ?? value !== 'Berlin';
      }),
    );

  test('returns all matches of every filter, up to 50, cheapest first', { tags: ['long'] }, async () => {
    await fc.assert(
      fc.asyncProperty(query, async (filter) => {
        // Proxies of other tests are in other countries.
        const asked = { country: values.country, ...filter };
        const found = await search(asked);
        const expected = matching(asked);
        expect(found).toHaveLength(Math.min(50, expected.length));
        const ids = new Set(expected.map(({ id }) => id));
        expect(found.every(({ id }) => ids.has(id))).toBe(true);
        const prices = found.map(({ price }) => price);
        expect(prices).toEqual(prices.toSorted((a, b) => a - b));
        // The result is exact up to the size of the sample: no cheaper match is missing.
        const cheapest = expected.map(({ price }) => price).toSorted((a, b) => a - b);
        expect(prices).toEqual(expected.length <= 2000 ? cheapest.slice(0, 50) : prices);
      }),
      { numRuns: scaled(8, 60) },
    );
  });

  test('finds the few matches of two broad groups, and none if they have none in common', async () => {
    const odd = { country: ['XB'], isp: ['operator 0', 'operator 2'] };
    expect(matching(odd)).toEqual([]);
    expect(await search(odd)).toEqual([]);
    const rare = { isp: ['operator 0'], country: ['XA'], connectionType: ['3G'], region: ['region 0'] };
    expect(await search(rare)).toHaveLength(Math.min(50, matching(rare).length));
  });
});

describe('counts', () => {
  test('reflect sales and returns after the next count, with a new ETag', async () => {
    const isp = randomUUID();
    const [first] = [await createProxy(testApp, { isp }), await createProxy(testApp, { isp })];
    await createProxy(testApp, { isp, isHealthy: false });
    await count();
    expect((await user.call(getProxyFilter, {})).data.isp[isp]).toBe(2);
    await user.call(connect, { body: { id: first, price: 0.8 } });
    expect((await user.call(getProxyFilter, {})).data.isp[isp]).toBe(2);
    await count();
    expect((await user.call(getProxyFilter, {})).data.isp[isp]).toBe(1);
  });

  test('return 304 without a body to clients that have the newest', async () => {
    const ask = (etag?: string) => {
      const { authorization } = user.headers;
      return fetch(testApp.url + getProxyFilter.url, {
        headers: { authorization, ...(etag && { 'if-none-match': etag }) },
      });
    };
    await count();
    const full = await ask();
    const etag = full.headers.get('etag')!;
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    expect(full.headers.get('cache-control')).toBe('private, no-cache');
    for (const known of [etag, etag.slice('W/'.length), `"other", ${etag}`]) {
      const again = await ask(known);
      expect([again.status, await again.text()]).toEqual([304, '']);
      const policy = full.headers.get('content-security-policy');
      expect(again.headers.get('content-security-policy')).toBe(policy);
    }
    expect((await ask('"other"')).status).toBe(200);
    await count();
    expect((await ask(etag)).status).toBe(304);
    await createProxy(testApp, { isp: randomUUID() });
    await count();
    expect((await ask(etag)).status).toBe(200);
  });

  test('are not repeated before they are due, nor by two workers at once', async () => {
    await count();
    const isp = randomUUID();
    await createProxy(testApp, { isp });
    await testApp.database.query('update proxy_counts set took_ms = 100000');
    await refreshCounts(testApp.ctx);
    expect((await user.call(getProxyFilter, {})).data.isp).not.toHaveProperty(isp);
    await testApp.ctx.tx(async (ctx) => {
      await ctx.db.query('select pg_advisory_xact_lock(727003)');
      await count();
    });
    expect((await user.call(getProxyFilter, {})).data.isp).not.toHaveProperty(isp);
    await count();
    expect((await user.call(getProxyFilter, {})).data.isp[isp]).toBe(1);
  });
});
