/**
 * Imported lines without an address: they wait outside the catalogue until a check of their exit sees it.
 * @module-tag thorough
 */
import type { ExitCheck } from '@cellhop/contract/exit-checks';
import { searchProxies } from '@cellhop/contract/proxies';
import { applyImport, checkImport, listInventory, readInventoryChange } from '@cellhop/contract/staff/inventory';
import type { ImportDefaults } from '@cellhop/contract/staff/import-lines';
import { listWaiting, removeWaiting } from '@cellhop/contract/staff/waiting-proxies';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkFailed, checkOk, createCheckingNode } from '../../../test/checking-node.ts';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { runJobs } from '../../../test/mail.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';

const SECRET = 'hidden-pass';

let testApp: TestApp;
let admin: TestUser;
let customer: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  customer = await createUser(testApp);
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

/** Its exits are checked by a node of its own. */
async function createFarm(countryCode: string) {
  const node = await createCheckingNode(testApp);
  const stated: ImportDefaults = {
    price: 0.8,
    countryCode,
    isp: 'Telekom',
    connectionType: 'LTE',
    exitKind: 'http',
    node: node.name,
  };
  const check = async (content: string, others: ImportDefaults = {}) => {
    const query = { format: 'csv' as const, fileName: 'list.txt', ...stated, ...others };
    return (await admin.call(checkImport, { query }, { file: { type: 'text/csv', content } })).data;
  };
  return {
    ...node,
    check,
    async importAll(content: string, others?: ImportDefaults) {
      const checked = await check(content, others);
      expect(checked.errors).toEqual([]);
      const { data } = await admin.call(applyImport, { params: { id: checked.id! } });
      await runJobs(testApp);
      return (await admin.call(readInventoryChange, { params: { id: data.id } })).data;
    },
    report: (...checks: ExitCheck[]) => node.exchange({ checks }),
    waiting: async () =>
      (await admin.call(listWaiting, { query: {} })).data.filter((row) => row.countryCode === countryCode),
    proxies: async () => (await admin.call(listInventory, { query: { country: [countryCode] } })).data,
    offered: async () => (await customer.call(searchProxies, { query: { country: [countryCode] } })).data,
  };
}

const LIST = `gate.test:1:user:${SECRET}\ngate.test:2:user:${SECRET}|https://farm.test/rotate`;

describe('a list without addresses', () => {
  test('waits until the first check of each exit has seen one, and is then for sale', async () => {
    const farm = await createFarm('PT');
    expect(await farm.check(LIST)).toMatchObject({ newCount: 0, changedCount: 0, unchangedCount: 0, waitingCount: 2 });
    expect(await farm.waiting()).toEqual([]);
    expect(await farm.importAll(LIST)).toMatchObject({ status: 'DONE', rowCount: 2, doneCount: 2, newCount: 0 });
    expect(await farm.proxies()).toEqual([]);
    const [first, second] = await farm.waiting();
    expect(first).toMatchObject({
      exit: expect.stringMatching(/^http:\/\/\*\*\*@gate\.test:[12]$/),
      node: farm.name,
      price: 0.8,
      checkedAt: null,
      isTaken: false,
    });
    // Due at once and again after a lost check, as exits with proxies.
    expect(new Set(await farm.takeDue())).toEqual(new Set([first!.exitId, second!.exitId]));
    await farm.letTimePass(31);
    expect(await farm.takeDue()).toHaveLength(2);

    await farm.report(
      checkOk(first!.exitId, { seenAddress: '198.51.100.1' }),
      checkFailed(second!.exitId, 'upstream-auth-failed'),
    );
    expect(await farm.offered()).toMatchObject([
      { ip: '198.51.100.1', price: 0.8, city: '-', isp: 'Telekom', asn: null },
    ]);
    expect(await farm.waiting()).toMatchObject([{ exitId: second!.exitId, reason: 'upstream-auth-failed' }]);
    await farm.report(checkOk(second!.exitId));
    expect(await farm.waiting()).toMatchObject([{ exitId: second!.exitId, reason: null, seenAddress: null }]);
    await farm.report(checkOk(second!.exitId, { seenAddress: '198.51.100.2' }));
    expect(await farm.waiting()).toEqual([]);
    expect(await farm.offered()).toHaveLength(2);
  });

  test('again changes nothing, while it waits and when it is for sale; another price changes it', async () => {
    const farm = await createFarm('ES');
    await farm.importAll(LIST);
    expect(await farm.check(LIST)).toMatchObject({ waitingCount: 0, unchangedCount: 2 });
    expect(await farm.check(LIST, { price: 0.9 })).toMatchObject({ waitingCount: 2, unchangedCount: 0 });
    await farm.importAll(LIST, { price: 0.9 });
    const [first] = await farm.waiting();
    expect(first).toMatchObject({ price: 0.9 });
    await farm.report(checkOk(first!.exitId, { seenAddress: '198.51.100.11' }));
    expect(await farm.check(LIST, { price: 0.9 })).toMatchObject({
      newCount: 0,
      changedCount: 0,
      unchangedCount: 2,
      waitingCount: 0,
    });
    expect(await farm.importAll(LIST, { price: 1 })).toMatchObject({ rowCount: 2 });
    expect(await farm.proxies()).toMatchObject([{ ip: '198.51.100.11', price: 1 }]);
    expect(await farm.waiting()).toMatchObject([{ price: 1 }]);
  });

  test('whose address another proxy promises waits for another one', async () => {
    const farm = await createFarm('IT');
    await farm.importAll(LIST);
    const [first, second] = await farm.waiting();
    const seenAddress = '198.51.100.21';
    await farm.report(checkOk(first!.exitId, { seenAddress }), checkOk(second!.exitId, { seenAddress }));
    expect(await farm.proxies()).toHaveLength(1);
    const [left] = await farm.waiting();
    expect(left).toMatchObject({ seenAddress, isTaken: true });
    await farm.report(checkOk(left!.exitId, { seenAddress: '198.51.100.22' }));
    expect(await farm.proxies()).toHaveLength(2);
  });

  test('can be removed by those who may change proxies', async () => {
    const farm = await createFarm('FR');
    await farm.importAll(LIST);
    const [first] = await farm.waiting();
    const params = { id: first!.exitId };
    await expect(customer.call(removeWaiting, { params })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await admin.call(removeWaiting, { params });
    await expect(admin.call(removeWaiting, { params })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await farm.waiting()).toHaveLength(1);
    await farm.report(checkOk(first!.exitId, { seenAddress: '198.51.100.31' }));
    expect(await farm.proxies()).toEqual([]);
  });
});

test('a line for an exit that several proxies share is refused without an address', async () => {
  const farm = await createFarm('GR');
  await farm.importAll(`ip,exit\n203.0.113.1,gate.test:1\n203.0.113.2,gate.test:1`);
  expect((await farm.check('gate.test:1')).errors).toEqual([
    { line: 1, column: 'ip', problem: 'SHARED_EXIT', value: null },
  ]);
});

test('two lines for one proxy, by its address and by its exit, are refused', async () => {
  const farm = await createFarm('HR');
  await farm.importAll(`ip,exit\n203.0.113.11,gate.test:1`);
  expect((await farm.check(`ip,exit\n,gate.test:1\n203.0.113.11,gate.test:2`)).errors).toEqual([
    { line: 3, column: 'exit', problem: 'DUPLICATE_EXIT', value: '2' },
  ]);
});

test('the preview says how each line was read, and neither it nor the database contains a password', async () => {
  const farm = await createFarm('AT');
  const checked = await farm.check(`${LIST}\nnonsense`);
  expect(checked).toMatchObject({
    id: null,
    errors: [{ line: 3, problem: 'NOT_AN_UPSTREAM' }],
    preview: [
      {
        line: 1,
        ip: null,
        exit: 'http://***@gate.test:1',
        place: 'AT, -, -, -, Telekom, LTE',
        price: 0.8,
        hasLink: false,
      },
      { line: 2, exit: 'http://***@gate.test:2', node: farm.name, hasLink: true },
    ],
  });
  expect(JSON.stringify(checked)).not.toContain(SECRET);
  await farm.check(LIST);
  for (const table of ['catalogue_import_waiting', 'catalogue_imports', 'audit_log', 'exits', 'waiting_proxies']) {
    const rows = await testApp.database.query(`select to_jsonb(${table})::text as row from ${table}`);
    expect(JSON.stringify(rows)).not.toContain(SECRET);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(SECRET).toString('hex'));
  }
});

test('waiting lines are in none of the other counts, which whoever applies the file compares', async () => {
  const farm = await createFarm('NO');
  const { id } = await farm.check(LIST);
  const [counts] = await testApp.database.query(
    `select new_count, changed_count, (select count(*)::int from catalogue_import_rows where import_id = $1) as rows
       from catalogue_imports where id = $1`,
    [id],
  );
  expect(counts).toEqual({ new_count: 0, changed_count: 0, rows: 0 });
  await testApp.database.query('select add_import_exits($1)', [id]);
  expect(await farm.waiting()).toHaveLength(2);
});
