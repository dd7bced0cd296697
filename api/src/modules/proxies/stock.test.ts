/** @module-tag thorough */
import { getStock } from '@cellhop/contract/proxies';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProxy } from '../../../test/factories.ts';
import { startSecondApp, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { refreshCounts, refreshFacets } from './proxies.service.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

/** What a process answers that is asked for the first time. */
async function stock() {
  const app = await startSecondApp(testApp);
  try {
    return (await app.call(getStock, {})).data;
  } finally {
    await app.stop();
  }
}

async function count() {
  await refreshCounts(testApp.ctx);
  await testApp.database.query("update proxy_counts set facets_counted_at = now() - interval '1 hour'");
  await refreshFacets(testApp.ctx);
}

test('visitors see that nothing is free', async () => {
  expect(await stock()).toMatchObject({ free: 0, operators: 0, megabytePrice: null, countries: [] });
});

test('visitors see what is free in each country, the most first, and the lowest prices of a megabyte', async () => {
  await createProxy(testApp, { isp: 'Vodafone', city: 'Hamburg' });
  await createProxy(testApp, { priceMicros: 600_000n });
  await createProxy(testApp, { priceMicros: 100_000n, isHealthy: false });
  await createProxy(testApp, { countryCode: 'FR', isp: 'Vodafone', priceMicros: 400_000n });
  await count();
  expect(await stock()).toEqual({
    countedSecondsAgo: expect.any(Number) as number,
    free: 3,
    operators: 2,
    megabytePrice: 0.004,
    countries: [
      { countryCode: 'DE', free: 2, cities: 2, operators: 2, megabytePrice: 0.006 },
      { countryCode: 'FR', free: 1, cities: 1, operators: 1, megabytePrice: 0.004 },
    ],
  });
});

test('it says when the proxies were counted, and has no price for what was sold since', async () => {
  await testApp.database.query(
    `update proxy_counts set facets_counted_at = clock_timestamp() - interval '2 minutes', facets_took_ms = 100000`,
  );
  await testApp.database.query(`update proxies set is_exit_healthy = false where country_code = 'FR'`);
  const { countedSecondsAgo, megabytePrice, countries } = await stock();
  expect(countedSecondsAgo).toBeGreaterThanOrEqual(120);
  expect(countedSecondsAgo).toBeLessThan(180);
  expect(megabytePrice).toBe(0.006);
  expect(countries[1]).toMatchObject({ countryCode: 'FR', megabytePrice: null });
});

test('requests of many visitors read it once', async () => {
  const app = await startSecondApp(testApp);
  try {
    const answers = () => Promise.all(Array.from({ length: 20 }, () => app.call(getStock, {})));
    await answers();
    await createProxy(testApp, { countryCode: 'IT', priceMicros: 200_000n });
    await count();
    for (const { data } of await answers()) expect(data.megabytePrice).toBe(0.006);
    expect((await stock()).megabytePrice).toBe(0.002);
  } finally {
    await app.stop();
  }
});
