/** @module-tag thorough */
import {
  applyImport,
  changePrices,
  checkImport,
  dismissInventoryChange,
  listInventoryChanges,
  readInventoryChange,
  readSelection,
  retireProxies,
  retryInventoryChange,
} from '@cellhop/contract/staff/inventory';
import { importColumns } from '@cellhop/contract/staff/inventory.values';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createUser, defaultExit, type TestUser } from '../../../test/factories.ts';
import { runJobs } from '../../../test/mail.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { addNode } from '../gateway/gateway.service.ts';
import { applyChange, deleteOldChanges, failAbandoned } from './inventory-changes.service.ts';

const PROXIES = 100;
/** More than are changed by one statement. */
const MANY = 6000;
const filter = { country: ['QQ'] };

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  await testApp.reset();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  await addNode(testApp.ctx, 'paris');
  await addProxies(1, PROXIES);
});

async function addProxies(from: number, to: number): Promise<void> {
  await testApp.database.query(
    `insert into proxies (ip, price_micros, country_code, region, city, zip, isp, connection_type, exit_id)
     select '10.0.0.0'::inet + n, 500000, 'QQ', 'r', 'c', '1', 'bulk', 'LTE', $3 from generate_series($1::int, $2) as n`,
    [from, to, await defaultExit(testApp)],
  );
}

async function orderPrices() {
  const { count, fingerprint } = (await admin.call(readSelection, { query: filter })).data;
  const body = { filter, count, fingerprint, change: { percent: 10 }, reason: 'dearer operator' };
  return { body, change: (await admin.call(changePrices, { body })).data };
}

async function orderImport(rows: number) {
  const lines = Array.from(
    { length: rows },
    (_, n) => `11.0.${Math.floor(n / 256)}.${n % 256},0.8,AQ,r,c,1,bulk,LTE,paris,local-address,`,
  );
  const file = { type: 'text/csv', content: [importColumns.join(','), ...lines].join('\r\n') };
  const checked = (await admin.call(checkImport, { query: { format: 'csv', fileName: 'a.csv' } }, { file })).data;
  return (await admin.call(applyImport, { params: { id: checked.id! } })).data;
}

const read = async (id: string) => (await admin.call(readInventoryChange, { params: { id } })).data;

/** How many proxies there are at each price. */
async function prices(): Promise<Record<string, number>> {
  const rows = await testApp.database.query<{ micros: bigint; count: number }>(
    'select price_micros as micros, count(*)::int as count from proxies group by 1',
  );
  return Object.fromEntries(rows.map(({ micros, count }) => [String(micros), count]));
}

async function countEntries(action: string): Promise<number> {
  return (await testApp.database.query('select from audit_log where action = $1', [action])).length;
}

/** Runs the job until it has changed some rows, and then ends its connection, as if its process was killed. */
async function cutOff(changeId: string): Promise<void> {
  const onProgress = async (doneCount: number) => {
    if (doneCount === 0) return;
    expect(await read(changeId)).toMatchObject({ status: 'RUNNING', doneCount });
    await testApp.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction' and pid <> pg_backend_pid()`,
    );
  };
  const running = applyChange(testApp.ctx, { changeId }, { onProgress });
  // The driver reports the server's message, or that the connection has ended.
  await expect(running).rejects.toThrow(/terminat|connection/i);
}

test('a worker that is killed during a price change has changed nothing, and the next one changes each price once', async () => {
  await addProxies(PROXIES + 1, MANY);
  const { change } = await orderPrices();
  expect(change).toMatchObject({ kind: 'PRICE', status: 'WAITING', rowCount: MANY, doneCount: 0 });
  await cutOff(change.id);
  expect(await prices()).toEqual({ 500000: MANY });
  expect(await read(change.id)).toMatchObject({ status: 'WAITING', doneCount: 0, failure: expect.any(String) });
  await runJobs(testApp);
  expect(await prices()).toEqual({ 550000: MANY });
  expect(await read(change.id)).toMatchObject({ status: 'DONE', doneCount: MANY });
  await applyChange(testApp.ctx, { changeId: change.id });
  expect(await prices()).toEqual({ 550000: MANY });
  expect(await countEntries('PROXY_PRICES_CHANGED')).toBe(1);
});

test('a worker that is killed during an import has imported nothing, and the next one imports all', async () => {
  const change = await orderImport(2500);
  await cutOff(change.id);
  expect(await prices()).toEqual({ 500000: PROXIES });
  await runJobs(testApp);
  expect(await prices()).toEqual({ 500000: PROXIES, 800000: 2500 });
  expect(await read(change.id)).toMatchObject({ kind: 'IMPORT', status: 'DONE', doneCount: 2500, newCount: 2500 });
  expect(await countEntries('CATALOGUE_IMPORTED')).toBe(1);
});

test('two workers at once change each price once', async () => {
  await addProxies(PROXIES + 1, MANY);
  const { change } = await orderPrices();
  await Promise.all([1, 2, 3].map(() => applyChange(testApp.ctx, { changeId: change.id })));
  expect(await prices()).toEqual({ 550000: MANY });
  expect(await countEntries('PROXY_PRICES_CHANGED')).toBe(1);
});

test('a request that is repeated after a lost response creates no second change', async () => {
  const { body, change } = await orderPrices();
  expect((await admin.call(changePrices, { body })).data.id).toBe(change.id);
  expect(await countEntries('CATALOGUE_CHANGE_ORDERED')).toBe(1);
  await runJobs(testApp);
  await expect(admin.call(changePrices, { body })).rejects.toMatchObject({ status: 409, code: 'CHANGED_ELSEWHERE' });
  expect(await prices()).toEqual({ 550000: PROXIES });
});

const blockAuthor = () => testApp.database.query(`update users set status = 'BLOCKED' where id = $1`, [admin.id]);
const statusOf = async (id: string) =>
  (await testApp.database.query('select status from catalogue_changes where id = $1', [id]))[0];

describe('a change whose author is blocked', () => {
  test('before it begins is refused', async () => {
    const [prepared, imported] = [await orderPrices(), await orderImport(10)];
    await blockAuthor();
    await runJobs(testApp);
    expect(await prices()).toEqual({ 500000: PROXIES });
    for (const { id } of [prepared.change, imported]) expect(await statusOf(id)).toEqual({ status: 'REFUSED' });
  });

  test('while it runs changes nothing', async () => {
    const imported = await orderImport(2500);
    await applyChange(
      testApp.ctx,
      { changeId: imported.id },
      { onProgress: async (done) => void (done === 2000 && (await blockAuthor())) },
    );
    expect(await prices()).toEqual({ 500000: PROXIES });
    expect(await statusOf(imported.id)).toEqual({ status: 'REFUSED' });
  });
});

test('a change is refused as a whole if its proxies have changed before its job runs', async () => {
  const { change } = await orderPrices();
  await testApp.database.query("update proxies set price_micros = 700000 where ip = '10.0.0.1'");
  await runJobs(testApp);
  expect(await read(change.id)).toMatchObject({ status: 'REFUSED', doneCount: 0 });
  expect(await prices()).toEqual({ 500000: PROXIES - 1, 700000: 1 });
  expect(await countEntries('PROXY_PRICES_CHANGED')).toBe(0);
});

test('a new upload by the same member of staff does not replace an ordered import', async () => {
  const ordered = await orderImport(3);
  await orderImport(2);
  await runJobs(testApp);
  expect(await read(ordered.id)).toMatchObject({ status: 'DONE' });
});

test('the newest changes are listed, and old ones are deleted after a month', async () => {
  const { body, change } = await orderPrices();
  await runJobs(testApp);
  const { count, fingerprint } = (await admin.call(readSelection, { query: filter })).data;
  const retired = (await admin.call(retireProxies, { body: { filter, count, fingerprint } })).data;
  expect((await admin.call(listInventoryChanges, {})).data.map(({ id }) => id)).toEqual([retired.id, change.id]);
  expect(body.count).toBe(PROXIES);
  await testApp.database.query("update catalogue_changes set created_at = now() - interval '31 days'");
  await deleteOldChanges(testApp.ctx);
  expect((await admin.call(listInventoryChanges, {})).data.map(({ id }) => id)).toEqual([retired.id]);
});

const retry = (id: string) => admin.call(retryInventoryChange, { params: { id } });
const dismiss = (id: string) => admin.call(dismissInventoryChange, { params: { id } });
const conflict = { status: 409, code: 'CHANGED_ELSEWHERE' };

/** Simulates a defect: each update of a price fails. */
async function makePriceUpdatesFail(): Promise<void> {
  await testApp.database.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused by admin@example.com'; end $$`,
  );
  await testApp.database.query(
    'create trigger refused before update of price_micros on proxies for each row execute function refuse()',
  );
}

async function letPriceUpdatesSucceed(): Promise<void> {
  await testApp.database.query('drop function refuse cascade');
}

/** Runs the job at once, without the pause before a retry. */
async function runAttempt(): Promise<void> {
  await testApp.database.query('update graphile_worker._private_jobs set run_at = now()');
  await runJobs(testApp);
}

const countJobs = async () => (await testApp.database.query('select from graphile_worker._private_jobs')).length;

async function failingChange(): Promise<string> {
  await makePriceUpdatesFail();
  const { change } = await orderPrices();
  await runAttempt();
  expect(await read(change.id)).toMatchObject({ status: 'WAITING', failure: 'refused by [address]' });
  for (let attempt = 2; attempt <= 6; attempt++) await runAttempt();
  expect(await read(change.id)).toMatchObject({ status: 'FAILED', doneCount: 0, failure: 'refused by [address]' });
  return change.id;
}

describe('a change whose job always fails', () => {
  test('has failed with the reason after its last attempt, and is retried', async () => {
    const id = await failingChange();
    await letPriceUpdatesSucceed();
    expect((await retry(id)).data).toMatchObject({ status: 'WAITING', failure: null });
    await expect(retry(id)).rejects.toMatchObject(conflict);
    await runJobs(testApp);
    expect(await read(id)).toMatchObject({ status: 'DONE', doneCount: PROXIES });
    expect(await prices()).toEqual({ 550000: PROXIES });
    expect(await countEntries('CATALOGUE_CHANGE_RETRIED')).toBe(1);
    expect(await countJobs()).toBe(0);
  });

  test('is retried when the same change is ordered again', async () => {
    const id = await failingChange();
    await letPriceUpdatesSucceed();
    expect((await orderPrices()).change).toMatchObject({ id, status: 'WAITING' });
    await runJobs(testApp);
    expect(await prices()).toEqual({ 550000: PROXIES });
  });

  test('is never applied after it was dismissed', async () => {
    const id = await failingChange();
    await letPriceUpdatesSucceed();
    expect((await dismiss(id)).data).toMatchObject({ status: 'DISMISSED', doneCount: 0 });
    await expect(dismiss(id)).rejects.toMatchObject(conflict);
    await expect(retry(id)).rejects.toMatchObject(conflict);
    expect(await countJobs()).toBe(0);
    await applyChange(testApp.ctx, { changeId: id });
    expect(await prices()).toEqual({ 500000: PROXIES });
    expect(await countEntries('CATALOGUE_CHANGE_DISMISSED')).toBe(1);
    // The same order is a new change.
    expect((await orderPrices()).change.id).not.toBe(id);
  });

  test('has failed if its worker was killed at the last attempt, but not while its job still runs', async () => {
    const { change } = await orderPrices();
    await failAbandoned(testApp.ctx);
    expect(await read(change.id)).toMatchObject({ status: 'WAITING' });
    await testApp.database.query(
      "update graphile_worker._private_jobs set attempts = max_attempts, locked_at = now(), locked_by = 'w'",
    );
    await failAbandoned(testApp.ctx);
    expect(await read(change.id)).toMatchObject({ status: 'WAITING' });
    await testApp.database.query('update graphile_worker._private_jobs set locked_at = null, locked_by = null');
    await failAbandoned(testApp.ctx);
    expect(await read(change.id)).toMatchObject({ status: 'FAILED', failure: null });
    await retry(change.id);
    await runJobs(testApp);
    expect(await read(change.id)).toMatchObject({ status: 'DONE' });
  });
});

test('a change of chosen proxies touches no others, and a page of them is the most', async () => {
  const rows = await testApp.database.query<{ id: string }>('select id from proxies order by ip limit 2');
  const id = rows.map((row) => row.id);
  const { data } = await admin.call(readSelection, { query: { id } });
  expect(data).toMatchObject({ count: 2, lowestPrice: 0.5 });
  const { count, fingerprint } = data;
  await admin.call(changePrices, { body: { filter: { id }, count, fingerprint, change: { price: 0.7 } } });
  await runJobs(testApp);
  expect(await prices()).toEqual({ 500000: PROXIES - 2, 700000: 2 });
  const tooMany = Array.from({ length: 51 }, () => id[0]!);
  await expect(
    admin.call(changePrices, { body: { filter: { id: tooMany }, count, fingerprint, change: { price: 1 } } }),
  ).rejects.toMatchObject({ code: 'VALIDATION' });
});
