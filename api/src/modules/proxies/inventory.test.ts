import { connect, disconnect } from '@cellhop/contract/connections';
import { searchProxies } from '@cellhop/contract/proxies';
import {
  type InventoryChange,
  changePrices,
  exportInventory,
  type InventoryFilter,
  listInventory,
  readInventoryChange,
  readSelection,
  restoreProxies,
  retireProxies,
} from '@cellhop/contract/staff/inventory';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createExit, createProxy, createUser, defaultExit, type TestUser } from '../../../test/factories.ts';
import { runJobs } from '../../../test/mail.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { addNode } from '../gateway/gateway.service.ts';

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(() => testApp.stop());

let countries = 0;
/** A different country for each test. */
function newCountry(): string {
  countries += 1;
  return `Q${String.fromCharCode(64 + countries)}`;
}

const list = async (query: InventoryFilter & { sort?: 'price' | '-price'; size?: number; page?: number }) =>
  admin.call(listInventory, { query });
const select = async (filter: InventoryFilter) => (await admin.call(readSelection, { query: filter })).data;
const isOffered = async (country: string) =>
  (await admin.call(searchProxies, { query: { country: [country] } })).data.length > 0;

async function bulk(filter: InventoryFilter) {
  const { count, fingerprint } = await select(filter);
  return { filter, count, fingerprint };
}

async function lastEntry(action: string) {
  const [row] = await testApp.database.query<{ actorId: string; subjectId: string | null; details: object }>(
    `select actor_id as "actorId", subject_id as "subjectId", details from audit_log where action = $1 order by id desc limit 1`,
    [action],
  );
  return row;
}

describe('the list', () => {
  test('shows price, exit and state, and the user of a sold proxy', async () => {
    const country = newCountry();
    await addNode(testApp.ctx, 'berlin');
    const exitId = await createExit(testApp, 'berlin', '192.0.2.7');
    const id = await createProxy(testApp, { countryCode: country, exitId });
    const user = await createUser(testApp, { balanceMicros: 5_000_000n });
    const { data: connection } = await user.call(connect, { body: { id, price: 0.8 } });
    await createProxy(testApp, { countryCode: country, isHealthy: false });
    const { data, totalPages } = await list({ country: [country], state: 'SOLD' });
    expect(totalPages).toBe(1);
    expect(data).toEqual([
      expect.objectContaining({
        id,
        price: 0.8,
        state: 'SOLD',
        isHealthy: true,
        isRetired: false,
        exit: { id: exitId, node: 'berlin', kind: 'local-address', address: '192.0.2.7', names: null },
        connection: {
          id: connection.id,
          createdAt: connection.createdAt,
          user: { id: user.id, email: user.email },
        },
      }),
    ]);
    expect((await list({ country: [country] })).data.map(({ state }) => state).sort()).toEqual(['SOLD', 'UNHEALTHY']);
    expect((await list({ node: 'berlin' })).data).toHaveLength(1);
  });

  test('filters by the start of an address, operator and state, and sorts by price and page', async () => {
    const country = newCountry();
    for (const [ip, micros] of [
      ['203.0.113.1', 900_000n],
      ['203.0.113.2', 700_000n],
      ['203.0.114.1', 800_000n],
    ] as const) {
      const id = await createProxy(testApp, { countryCode: country, isp: `isp of ${country}`, priceMicros: micros });
      await testApp.database.query('update proxies set ip = $2 where id = $1', [id, ip]);
    }
    const ips = async (query: Parameters<typeof list>[0]) => (await list(query)).data.map(({ ip }) => ip);
    expect(await ips({ ip: '203.0.113' })).toEqual(['203.0.113.1', '203.0.113.2']);
    expect(await ips({ ip: '203.0.113.2', country: [country] })).toEqual(['203.0.113.2']);
    const isp = [`isp of ${country}`];
    expect(await ips({ isp, sort: 'price' })).toEqual(['203.0.113.2', '203.0.114.1', '203.0.113.1']);
    expect(await ips({ isp, sort: '-price', size: 1, page: 2 })).toEqual(['203.0.114.1']);
    expect(await ips({ isp, state: 'FREE' })).toHaveLength(3);
    expect(await ips({ isp, state: 'RETIRED' })).toEqual([]);
    await expect(list({ ip: 'berlin' })).rejects.toMatchObject({ status: 400, code: 'VALIDATION' });
  });
});

/** Runs the job of a change. @returns the change after that */
async function settle(ordering: Promise<{ data: InventoryChange }>): Promise<InventoryChange> {
  const { id } = (await ordering).data;
  await runJobs(testApp);
  return (await admin.call(readInventoryChange, { params: { id } })).data;
}

describe('a bulk change', () => {
  test('sets or raises prices without affecting open connections, and is audited', async () => {
    const country = newCountry();
    const sold = await createProxy(testApp, { countryCode: country, priceMicros: 1_000_000n });
    await createProxy(testApp, { countryCode: country, priceMicros: 333_300n });
    const user = await createUser(testApp, { balanceMicros: 5_000_000n });
    const { data: connection } = await user.call(connect, { body: { id: sold, price: 1 } });
    const filter = { country: [country] };
    expect(await select(filter)).toMatchObject({ count: 2, lowestPrice: 0.3333, highestPrice: 1 });
    const body = { ...(await bulk(filter)), change: { percent: 10 }, reason: 'dearer operator' };
    expect(await settle(admin.call(changePrices, { body }))).toMatchObject({
      kind: 'PRICE',
      status: 'DONE',
      rowCount: 2,
      doneCount: 2,
    });
    expect(await select(filter)).toMatchObject({ lowestPrice: 0.3666, highestPrice: 1.1 });
    expect(await lastEntry('PROXY_PRICES_CHANGED')).toMatchObject({
      actorId: admin.id,
      details: {
        count: 2,
        filter: JSON.stringify(filter),
        reason: 'dearer operator',
        before: { lowestPrice: 0.3333, highestPrice: 1 },
        after: { percent: 10 },
      },
    });
    // The repeated request finds other prices, so nothing is raised twice.
    await expect(admin.call(changePrices, { body })).rejects.toMatchObject({ status: 409, code: 'CHANGED_ELSEWHERE' });
    expect(await select(filter)).toMatchObject({ highestPrice: 1.1 });

    await settle(admin.call(changePrices, { body: { ...(await bulk(filter)), change: { price: 0.5 } } }));
    expect(await select(filter)).toMatchObject({ lowestPrice: 0.5, highestPrice: 0.5 });
    const [stored] = await testApp.database.query<{ micros: bigint }>(
      'select price_micros as micros from connections where id = $1',
      [connection.id],
    );
    expect(stored!.micros).toBe(1_000_000n);
  });

  test('is refused if the proxies are not those that were counted', async () => {
    const country = newCountry();
    const free = await createProxy(testApp, { countryCode: country });
    const counted = await bulk({ country: [country], state: 'FREE' });
    const user = await createUser(testApp, { balanceMicros: 5_000_000n });
    const { data: connection } = await user.call(connect, { body: { id: free, price: 0.8 } });
    // As many, but another one.
    const other = await createProxy(testApp, { countryCode: country });
    await expect(admin.call(retireProxies, { body: counted })).rejects.toMatchObject({ code: 'CHANGED_ELSEWHERE' });
    expect((await list({ country: [country] })).data.map(({ isRetired }) => isRetired)).toEqual([false, false]);
    await user.call(disconnect, { params: { id: connection.id } });
    await testApp.database.query('delete from proxies where id = $1', [other]);
    expect(await settle(admin.call(retireProxies, { body: counted }))).toMatchObject({ status: 'DONE', doneCount: 1 });
  });

  test.each([{ price: 0 }, { price: 0.80001 }, { price: 10_001 }, { percent: -91 }, { percent: 1001 }])(
    'to %j is refused',
    async (change) => {
      const body = { filter: {}, count: 1, fingerprint: '1', change };
      await expect(admin.call(changePrices, { body })).rejects.toMatchObject({ status: 400, code: 'VALIDATION' });
    },
  );

  test('needs its permission', async () => {
    const support = await createUser(testApp, { roleName: 'SUPPORT' });
    const body = { filter: {}, count: 1, fingerprint: '1' };
    await expect(support.call(retireProxies, { body })).rejects.toMatchObject({ status: 403 });
  });
});

describe('a retired proxy', () => {
  test('leaves the catalogue and cannot be bought, until it is restored', async () => {
    const country = newCountry();
    const id = await createProxy(testApp, { countryCode: country });
    const user = await createUser(testApp, { balanceMicros: 5_000_000n });
    await settle(admin.call(retireProxies, { body: await bulk({ country: [country] }) }));
    expect(await lastEntry('PROXIES_RETIRED')).toMatchObject({ subjectId: id, details: { count: 1 } });
    expect(await isOffered(country)).toBe(false);
    await expect(user.call(connect, { body: { id, price: 0.8 } })).rejects.toMatchObject({ code: 'PROXY_NOT_FOUND' });
    expect((await list({ country: [country], state: 'RETIRED' })).data).toMatchObject([
      { state: 'RETIRED', isRetired: true },
    ]);
    await settle(admin.call(restoreProxies, { body: await bulk({ country: [country] }) }));
    expect(await isOffered(country)).toBe(true);
    await user.call(connect, { body: { id, price: 0.8 } });
  });

  test('that is sold works until its connection ends, and is not sold again', async () => {
    const country = newCountry();
    const id = await createProxy(testApp, { countryCode: country });
    const user = await createUser(testApp, { balanceMicros: 5_000_000n });
    const { data: connection } = await user.call(connect, { body: { id, price: 0.8 } });
    await settle(admin.call(retireProxies, { body: await bulk({ country: [country] }) }));
    const [row] = (await list({ country: [country] })).data;
    expect(row).toMatchObject({ state: 'SOLD', isRetired: true, connection: { id: connection.id } });
    expect((await user.call(disconnect, { params: { id: connection.id } })).data.status).toBe('DISCONNECT_USER');
    expect(await isOffered(country)).toBe(false);
    await expect(user.call(connect, { body: { id, price: 0.8 } })).rejects.toMatchObject({ code: 'PROXY_NOT_FOUND' });
  });

  test('stays unhealthy when it is restored, if it was', async () => {
    const country = newCountry();
    await createProxy(testApp, { countryCode: country, isHealthy: false });
    await settle(admin.call(retireProxies, { body: await bulk({ country: [country] }) }));
    await settle(admin.call(restoreProxies, { body: await bulk({ country: [country] }) }));
    expect((await list({ country: [country] })).data).toMatchObject([{ state: 'UNHEALTHY' }]);
    expect(await isOffered(country)).toBe(false);
  });
});

const download = async (query: string) => {
  const response = await fetch(`${testApp.url}${exportInventory.url}?${query}`, { headers: admin.headers });
  return { response, text: await response.text() };
};

describe('the export', () => {
  test('has the columns of an import, as CSV and as JSON, in pages', async () => {
    const country = newCountry();
    const exitId = await createExit(testApp, 'berlin');
    const ids = await Promise.all(
      Array.from({ length: 3 }, () => createProxy(testApp, { countryCode: country, isp: 'Tele, "kom"', exitId })),
    );
    await testApp.database.query(
      `insert into proxies (ip, price_micros, country_code, region, city, zip, isp, connection_type, exit_id)
       select '10.0.0.0'::inet + n, 500000, $1, 'r', 'c', '1', 'bulk', 'LTE', $2 from generate_series(1, 1500) as n`,
      [country, await defaultExit(testApp)],
    );
    const { response, text } = await download(`country=${country}`);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="proxies.csv"');
    const lines = text.split('\r\n');
    expect(lines).toHaveLength(1 + 1500 + ids.length + 1);
    expect(lines[0]).toBe(
      'ip,price,countryCode,region,city,zip,isp,connectionType,node,exitKind,exit,ports,tunnels,megabitsPerSecond,asn,rotation',
    );
    expect(lines[1]).toBe(`10.0.0.1,0.5,${country},r,c,1,bulk,LTE,default,local-address,,,,,,`);
    expect(lines.at(-2)).toContain(`,0.8,${country},Berlin,Berlin,10115,"Tele, ""kom""",LTE,berlin,local-address,`);
    const json = JSON.parse((await download(`country=${country}&format=json`)).text) as object[];
    expect(json).toHaveLength(1503);
    expect(json[0]).toMatchObject({ ip: '10.0.0.1', price: 0.5, node: 'default' });
    expect(await lastEntry('CATALOGUE_EXPORTED')).toMatchObject({ actorId: admin.id, details: { format: 'json' } });
    expect(await admin.call(exportInventory, { query: { country: [country], format: 'json', ip: '10.0.0.1' } })).toBe(
      `[\n${JSON.stringify(json[0])}\n]\n`,
    );
  });

  test('of nothing is a file without rows', async () => {
    expect((await download('country=XX&format=json')).text).toBe('[\n]\n');
  });
});
