import { FACET_VALUES_MAX } from '@cellhop/contract/limits';
import { filterGroups, type FilterGroup } from '@cellhop/contract/places.values';
import { getProxyFacets, type Proxy, type ProxyQuery } from '@cellhop/contract/proxies';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProxy, createUser, defaultExit, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { createFacetIndex } from './facet-index.ts';
import { refreshCounts, refreshFacets } from './proxies.service.ts';
import { scaled } from '../../../../tools/test-scale.ts';

let testApp: TestApp;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  user = await createUser(testApp);
});
afterAll(() => testApp.stop());

const facets = async (query: ProxyQuery = {}) => (await user.call(getProxyFacets, { query })).data;

/** Counts as the worker does when a count is due. */
async function count() {
  await testApp.database.query("update proxy_counts set facets_counted_at = now() - interval '1 hour'");
  await refreshFacets(testApp.ctx);
}

const values = {
  country: ['XA', 'XB', 'XC'],
  city: ['city 0', 'city 1', 'city 2', 'city 3', 'city 4', 'city of nobody'],
  region: ['region 0', 'region 1', 'region 2'],
  zip: Array.from({ length: 12 }, (_, n) => `zip ${n}`),
  isp: ['operator 0', 'operator 1', 'operator 2', 'both', "'; drop table proxies; --"],
  connectionType: ['LTE', '3G'],
} satisfies Record<FilterGroup, string[]>;

type Location = Pick<Proxy, 'countryCode' | 'city' | 'region' | 'zip' | 'isp' | 'connectionType'>;
const valueOf = (proxy: Location, group: FilterGroup) => (group === 'country' ? proxy.countryCode : proxy[group]);

/** Counts one proxy after the other, each group without its own filter. */
function countSlowly(all: readonly Location[], filter: ProxyQuery) {
  return Object.fromEntries(
    filterGroups.map((group) => {
      const counts: Record<string, number> = {};
      for (const proxy of all) {
        const others = filterGroups.filter((other) => other !== group);
        if (!others.every((other) => filter[other]?.includes(valueOf(proxy, other)) ?? true)) continue;
        const value = valueOf(proxy, group);
        counts[value] = (counts[value] ?? 0) + 1;
      }
      return [group, counts];
    }),
  );
}

test(
  'before the first count by a worker, counts on request; then counts follow all other groups of any filter',
  { tags: ['long'] },
  async () => {
    expect((await facets()).counts.country).toEqual({});
    const all = await testApp.database.query<Location>(
      `insert into proxies (ip, price_micros, country_code, region, city, zip, isp, connection_type, exit_id)
     select '10.0.0.0'::inet + n, 100000, case n % 3 when 0 then 'XA' else 'XB' end, 'region ' || n % 3, 'city ' || n % 5,
            'zip ' || n % 11, case when n % 7 = 0 then 'both' else 'operator ' || n % 3 end, case n % 4 when 0 then '3G' else 'LTE' end,
            $1
       from generate_series(1, 600) as n
     returning country_code as "countryCode", region, city, zip, isp, connection_type as "connectionType"`,
      [await defaultExit(testApp)],
    );
    const filter = fc.record(
      Object.fromEntries(
        filterGroups.map((group) => [group, fc.subarray<string>(values[group], { minLength: 1 })]),
      ) as Record<FilterGroup, fc.Arbitrary<string[]>>,
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(filter, async (query) => {
        expect(await facets(query)).toEqual({ counts: countSlowly(all, query), truncated: [] });
      }),
      { numRuns: scaled(8, 60) },
    );
  },
);

test('counts follow sales and returns, and a country whose last proxy is sold disappears and comes back', async () => {
  await refreshCounts(testApp.ctx);
  await testApp.database.query(
    `insert into proxies (ip, price_micros, country_code, region, city, zip, isp, connection_type, exit_id)
     values ('11.0.0.1', 100000, 'YA', 'Rare', 'Rare', '1', 'Rare', 'LTE', $1)`,
    [await defaultExit(testApp)],
  );
  await count();
  const rare = { country: ['YA'] };
  expect((await facets(rare)).counts).toMatchObject({ city: { Rare: 1 }, isp: { Rare: 1 }, zip: { 1: 1 } });
  await testApp.database.query("update proxies set is_exit_healthy = false where country_code = 'YA'");
  expect((await facets(rare)).counts.city).toEqual({ Rare: 1 });
  await count();
  expect((await facets(rare)).counts.city).toEqual({});
  expect((await facets()).counts.country).not.toHaveProperty('YA');
  await testApp.database.query("update proxies set is_exit_healthy = true where country_code = 'YA'");
  await count();
  expect((await facets()).counts.country['YA']).toBe(1);
});

test('after a crash of the database, emptied countries disappear, and so does an emptied catalogue', async () => {
  const setHealthy = (isHealthy: boolean, condition: string) =>
    testApp.database.query(`update proxies set is_exit_healthy = ${isHealthy} where ${condition}`);
  // PostgreSQL empties unlogged tables after a crash.
  const crash = () => testApp.database.query('truncate proxy_facets');
  await createProxy(testApp, { countryCode: 'XC' });
  await count();
  expect((await facets()).counts.country).toMatchObject({ XC: 1 });
  await setHealthy(false, `country_code = 'XC'`);
  await crash();
  const { country } = (await facets()).counts;
  expect(Object.keys(country)).not.toContain('XC');
  expect(Object.keys(country).length).toBeGreaterThan(0);
  await setHealthy(false, 'true');
  await crash();
  expect((await facets()).counts.country).toEqual({});
  await setHealthy(true, `country_code <> 'XC'`);
  await count();
  expect((await facets()).counts.country).toEqual(country);
});

test('an unchanged catalogue writes nothing, and counts are not repeated before they are due', async () => {
  await refreshCounts(testApp.ctx);
  const written = () =>
    testApp.database.query('select country_code, version, xmin::text from proxy_facets order by country_code');
  await count();
  const before = await written();
  await count();
  expect(await written()).toEqual(before);
  await testApp.database.query(
    'update proxy_counts set facets_counted_at = clock_timestamp(), facets_took_ms = 100000',
  );
  await createProxy(testApp);
  await refreshFacets(testApp.ctx);
  expect(await written()).toEqual(before);
});

test('refuses the same filters as a search', async () => {
  await expect(facets({ city: [''] })).rejects.toMatchObject({ code: 'VALIDATION' });
  await expect(facets({ planet: ['Mars'] } as ProxyQuery)).rejects.toMatchObject({ code: 'VALIDATION' });
});

test('lists the values with the most proxies, up to the limit, and names the groups with more', () => {
  const index = createFacetIndex();
  const zips = Array.from({ length: FACET_VALUES_MAX + 5 }, (_, n) => [
    'Region',
    'City',
    `zip ${n}`,
    [['Operator', 'LTE', n < 5 ? 1 : 2]],
  ]);
  index.replaceCountry('XA', JSON.stringify(zips));
  const { counts, truncated } = index.count({});
  expect(truncated).toEqual(['zip']);
  expect(Object.keys(counts.zip)).toHaveLength(FACET_VALUES_MAX);
  expect(counts.zip).not.toHaveProperty('zip 0');
  expect(counts.city).toEqual({ City: 2 * FACET_VALUES_MAX + 5 });
  index.replaceCountry('XA', '[]');
  expect(index.count({}).counts.country).toEqual({});
});
