/**
 * Links that change addresses: with lists and files they come in, and their exits find the lines of later ones.
 * @module-tag thorough
 */
import { connect } from '@cellhop/contract/connections';
import type { ExitCheck } from '@cellhop/contract/exit-checks';
import type { RotationLink } from '@cellhop/contract/rotation-links';
import type { ImportDefaults } from '@cellhop/contract/staff/import-lines';
import {
  applyImport,
  checkImport,
  exportInventory,
  listInventory,
  readInventoryChange,
} from '@cellhop/contract/staff/inventory';
import { listWaiting } from '@cellhop/contract/staff/waiting-proxies';
import { rotateConnection } from '@cellhop/contract/rotation';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkOk, createCheckingNode } from '../../../test/checking-node.ts';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { runJobs } from '../../../test/mail.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { decryptLink } from '../../secrets/rotation-links.ts';
import { resealLinks } from '../rotation/rotation.service.ts';

const SECRET = 'token-of-the-farm';
const URL_TEXT = `https://farm.test/rotate?key=${SECRET}`;
const OLD = 'the old secret key of the tests, 1';
const NEW = 'the new secret key of the tests, 2';

let testApp: TestApp;
let admin: TestUser;
let customer: TestUser;
beforeAll(async () => {
  testApp = await startTestApp({ secretKeys: [OLD] });
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  customer = await createUser(testApp, { balanceMicros: 100_000_000n });
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

interface StoredLink {
  host: string;
  link: RotationLink | undefined;
  cooldownSeconds: number | null;
  changesPerHour: number | null;
}

/** A node of its own, whose exits change their addresses. */
async function createFarm(countryCode: string) {
  const node = await createCheckingNode(testApp);
  await node.greet();
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
  const apply = async (id: string | null) => {
    const { data } = await admin.call(applyImport, { params: { id: id! } });
    await runJobs(testApp);
    return (await admin.call(readInventoryChange, { params: { id: data.id } })).data;
  };
  const proxies = async () => (await admin.call(listInventory, { query: { country: [countryCode] } })).data;
  return {
    ...node,
    check,
    apply,
    async importAll(content: string, others?: ImportDefaults) {
      const checked = await check(content, others);
      expect(checked.errors).toEqual([]);
      expect(await apply(checked.id)).toMatchObject({ status: 'DONE' });
      return checked;
    },
    see: (exitId: string, address: string) =>
      node.exchange({ checks: [checkOk(exitId, { address, seenAddress: address } satisfies Partial<ExitCheck>)] }),
    exitIds: async () =>
      (await admin.call(listWaiting, { query: {} })).data
        .filter((row) => row.countryCode === countryCode)
        .toSorted((one, other) => one.exit.localeCompare(other.exit))
        .map(({ exitId }) => exitId),
    proxies,
    async links(keys = testApp.ctx.config.secretKeys): Promise<StoredLink[]> {
      const rows = await testApp.database.query<{
        parameters: { host: string };
        sealed: Buffer;
        cooldown: number | null;
        hourly: number | null;
      }>(
        `select parameters, link_encrypted as sealed, cooldown_seconds as cooldown, changes_per_hour as hourly
           from exit_rotations join exits on exits.id = exit_id join gateway_nodes on gateway_nodes.id = node_id
          where name = $1 order by key`,
        [node.name],
      );
      return rows.map(({ parameters, sealed, cooldown, hourly }) => ({
        host: parameters.host,
        link: decryptLink(keys, { exitKind: 'http', parameters }, sealed),
        cooldownSeconds: cooldown,
        changesPerHour: hourly,
      }));
    },
    async exported(): Promise<string> {
      const url = `${testApp.url}${exportInventory.url}?country=${countryCode}`;
      return (await fetch(url, { headers: admin.headers })).text();
    },
    /** A customer buys the only proxy, and its exit gets another address. */
    async change(address: string) {
      const [proxy] = await proxies();
      const { data: bought } = await customer.call(connect, { body: { id: proxy!.id, price: proxy!.price } });
      await customer.call(rotateConnection, { params: { id: bought.id } });
      const [order] = (await node.exchange({ rotationsWanted: 8 })).rotations!;
      await node.exchange({ rotations: [{ id: order!.id, outcome: 'called' }], rotationsWanted: 8 });
      await this.see(proxy!.exit.id, address);
      return proxy!;
    },
  };
}

const addressesOf = (rows: Awaited<ReturnType<Awaited<ReturnType<typeof createFarm>>['proxies']>>) =>
  rows.map(({ ip, price }) => [ip, price]);

describe('a link behind a line', () => {
  test('is stored, encrypted, with the exit, and customers change the address of its proxy', async () => {
    const farm = await createFarm('PT');
    const list = `a.test:1:user:secret|${URL_TEXT}\nb.test:1:user:secret POST ${URL_TEXT} cooldown=90 perHour=10 X-Key: ${SECRET}`;
    const checked = await farm.importAll(list);
    expect(checked).toMatchObject({ waitingCount: 2, preview: [{ hasLink: true }, { hasLink: true }] });
    expect(JSON.stringify(checked)).not.toContain(SECRET);
    const none = { cooldownSeconds: null, changesPerHour: null };
    const header = { name: 'X-Key', value: SECRET };
    expect(await farm.links()).toEqual([
      { host: 'a.test', link: { method: 'GET', url: URL_TEXT }, ...none },
      { host: 'b.test', link: { method: 'POST', url: URL_TEXT, header }, cooldownSeconds: 90, changesPerHour: 10 },
    ]);
    const [first] = await farm.exitIds();
    await farm.see(first!, '198.51.100.1');
    expect(await farm.proxies()).toMatchObject([{ ip: '198.51.100.1', rotation: { cooldownSeconds: null } }]);
    // The same list again changes nothing; another link changes the exit.
    expect(await farm.check(list)).toMatchObject({ unchangedCount: 2, changedCount: 0, waitingCount: 0 });
    const other = list.replaceAll('rotate?', 'reset?');
    expect(await farm.importAll(other)).toMatchObject({ unchangedCount: 0, changedCount: 1, waitingCount: 1 });
    expect((await farm.links()).map(({ link }) => link?.url)).toEqual([
      `https://farm.test/reset?key=${SECRET}`,
      `https://farm.test/reset?key=${SECRET}`,
    ]);
    // A list that says nothing of links leaves them.
    expect(await farm.check('a.test:1:user:secret')).toMatchObject({ unchangedCount: 1 });
    expect(await stored()).not.toContain(SECRET);
  });

  test('is encrypted with the newest key when the file was checked before the key changed', async () => {
    const farm = await createFarm('ES');
    await farm.importAll(`a.test:1:user:secret|${URL_TEXT}`);
    await testApp.database.query(`update exit_rotations set created_at = created_at - interval '1 hour'`);
    const [before] = await testApp.database.query<{ time: string }>('select now()::text as time');
    await farm.importAll(`a.test:1:user:secret|${URL_TEXT}2`);
    await testApp.database.query(`update exit_rotations set created_at = created_at + interval '-61 seconds'`);
    const ctx = { ...testApp.ctx, config: { ...testApp.ctx.config, secretKeys: [NEW, OLD] as const } };
    const id = '00000000-0000-0000-0000-000000000000';
    const [position] = await testApp.database.query<{ createdAt: string }>(
      `select ($1::timestamptz - interval '61 seconds')::text as "createdAt"`,
      [before!.time],
    );
    await resealLinks(ctx, { createdAt: position!.createdAt, id }, 100);
    expect((await farm.links([NEW])).map(({ link }) => link?.url)).toEqual([`${URL_TEXT}2`]);
  });
});

describe('a file', () => {
  const HEADER = 'ip,exit,rotation';

  test('is exported without its links, and imported again it changes nothing', async () => {
    const farm = await createFarm('IT');
    await farm.importAll(
      `${HEADER}\n203.0.113.1,a.test:1:u:secret,${URL_TEXT} cooldown=90\n203.0.113.2,b.test:1,\n203.0.113.3,c.test:1,${URL_TEXT}`,
    );
    const text = await farm.exported();
    expect(text).not.toContain(SECRET);
    expect(text).toContain(',*** cooldown=90\r\n');
    expect(await farm.check(text)).toMatchObject({ errors: [], changedCount: 0, unchangedCount: 3 });
    await farm.importAll(text.replace('*** cooldown=90', '*** perHour=5'));
    expect(await farm.links()).toMatchObject([
      { host: 'a.test', link: { url: URL_TEXT }, cooldownSeconds: null, changesPerHour: 5 },
      { host: 'c.test', link: { url: URL_TEXT } },
    ]);
    // An empty cell removes the link.
    expect(await farm.importAll(`${HEADER}\n203.0.113.3,c.test:1,`)).toMatchObject({ changedCount: 1 });
    expect((await farm.links()).map(({ host }) => host)).toEqual(['a.test']);
    expect((await farm.check(`${HEADER}\n203.0.113.3,c.test:1,***`)).errors).toEqual([
      { line: 2, column: 'rotation', problem: 'HIDDEN_CREDENTIALS', value: null },
    ]);
  });

  test('leaves an exit as it is that is shared and has a link, which then changes nothing', async () => {
    const farm = await createFarm('CH');
    await farm.importAll('ip,exit\n203.0.113.51,a.test:1\n203.0.113.52,a.test:1');
    const [{ exit }] = (await farm.proxies()) as [{ exit: { id: string } }, ...unknown[]];
    await testApp.database.query('insert into exit_rotations (exit_id, link_encrypted) values ($1, $2)', [
      exit.id,
      Buffer.from('sealed'),
    ]);
    expect(await farm.check(await farm.exported())).toMatchObject({ errors: [], changedCount: 0, unchangedCount: 2 });
  });

  test('has a link only for an exit that one proxy uses', async () => {
    const farm = await createFarm('FR');
    expect((await farm.check(`${HEADER}\n203.0.113.11,a.test:1,${URL_TEXT}\n203.0.113.12,a.test:1,`)).errors).toEqual([
      { line: 3, column: 'exit', problem: 'DUPLICATE_EXIT', value: '2' },
    ]);
    await farm.importAll('ip,exit\n203.0.113.11,a.test:1\n203.0.113.12,a.test:1');
    expect((await farm.check(`${HEADER}\n203.0.113.11,a.test:1,${URL_TEXT}`)).errors).toEqual([
      { line: 2, column: 'rotation', problem: 'SHARED_EXIT', value: null },
    ]);
  });
});

const LINKED = `a.test:1:u:secret|${URL_TEXT}`;
const fileOf = (ip: string, exit = 'a.test:1:u:secret') => `ip,exit\n${ip},${exit}`;

describe('a line whose exit changes its address', () => {
  test('means the proxy of this exit, whatever address it says, and adds no second one', async () => {
    const farm = await createFarm('GR');
    await farm.importAll(LINKED);
    const [exitId] = await farm.exitIds();
    await farm.see(exitId!, '203.0.113.21');
    await farm.change('198.51.100.21');
    for (const ip of ['203.0.113.21', '198.51.100.21', '198.51.100.22', ''])
      expect(await farm.check(fileOf(ip))).toMatchObject({
        errors: [],
        newCount: 0,
        changedCount: 0,
        unchangedCount: 1,
      });
    expect(await farm.importAll(fileOf('203.0.113.21'), { price: 0.9 })).toMatchObject({
      newCount: 0,
      changedCount: 1,
    });
    expect(await farm.importAll('a.test:1:u:secret', { price: 1 })).toMatchObject({ changedCount: 1, waitingCount: 0 });
    expect(addressesOf(await farm.proxies())).toEqual([['198.51.100.21', 1]]);
    // Its own export has no address and no credentials.
    expect(await farm.check(await farm.exported())).toMatchObject({ errors: [], unchangedCount: 1, newCount: 0 });
    expect((await farm.check(`${fileOf('203.0.113.21')}\n203.0.113.22,a.test:1:u:secret`)).errors).toEqual([
      { line: 3, column: 'exit', problem: 'DUPLICATE_EXIT', value: '2' },
    ]);
  });

  test('means it although another proxy promises the old address by now', async () => {
    const farm = await createFarm('HR');
    await farm.importAll(LINKED);
    const [exitId] = await farm.exitIds();
    await farm.see(exitId!, '203.0.113.31');
    await farm.change('198.51.100.31');
    await farm.importAll(fileOf('203.0.113.31', 'b.test:1'), { price: 0.7 });
    await farm.importAll(fileOf('203.0.113.31'), { price: 0.9 });
    expect(addressesOf(await farm.proxies())).toEqual([
      ['203.0.113.31', 0.7],
      ['198.51.100.31', 0.9],
    ]);
  });

  test('means it when the address changes after the check of the file', async () => {
    const farm = await createFarm('AT');
    await farm.importAll(LINKED);
    const [exitId] = await farm.exitIds();
    await farm.see(exitId!, '203.0.113.41');
    const { id } = await farm.check(fileOf('203.0.113.41'), { price: 0.9 });
    await farm.change('198.51.100.41');
    expect(await farm.apply(id)).toMatchObject({ status: 'DONE' });
    expect(addressesOf(await farm.proxies())).toEqual([['198.51.100.41', 0.9]]);
  });
});

/** What a worker of 0.4.0 does first when it applies a file: the lock of the inventory, its progress, and this call. */
function beginAsBefore(changeId: string) {
  return testApp.ctx.tx(async (ctx) => {
    await ctx.db.query('select pg_advisory_xact_lock(727004)');
    await testApp.database.query(`update catalogue_changes set status = 'RUNNING' where id = $1`, [changeId]);
    await ctx.db.query('select fill_exits(null)');
  });
}

describe('a worker of 0.4.0', () => {
  test('applies no file with lines that it would leave out, and one of this release then applies all of them', async () => {
    const farm = await createFarm('NO');
    await farm.importAll(LINKED);
    const [exitId] = await farm.exitIds();
    await farm.see(exitId!, '203.0.113.61');
    await farm.change('198.51.100.61');
    const files: [content: string, price: number][] = [
      [fileOf(''), 0.9],
      [fileOf('203.0.113.61'), 0.7],
      [LINKED.replace('rotate?', 'reset?'), 0.6],
    ];
    for (const [content, price] of files) {
      const { id } = await farm.check(content, { price });
      const { data: change } = await admin.call(applyImport, { params: { id: id! } });
      await expect(beginAsBefore(change.id)).rejects.toThrow('a worker of the newer release');
      // An API of 0.4.0 calls it as well, without the lock.
      await testApp.database.query('select fill_exits(null)');
      await runJobs(testApp);
      expect((await admin.call(readInventoryChange, { params: { id: change.id } })).data.status).toBe('DONE');
      expect(addressesOf(await farm.proxies())).toEqual([['198.51.100.61', price]]);
    }
    expect((await farm.links()).map(({ link }) => link?.url)).toEqual([`https://farm.test/reset?key=${SECRET}`]);
  });

  test('applies other files', async () => {
    const farm = await createFarm('FI');
    const { id } = await farm.check(fileOf('203.0.113.71', 'a.test:1'));
    const { data: change } = await admin.call(applyImport, { params: { id: id! } });
    await beginAsBefore(change.id);
    await runJobs(testApp);
    expect(addressesOf(await farm.proxies())).toEqual([['203.0.113.71', 0.8]]);
  });
});

async function stored(): Promise<string> {
  const texts: string[] = [];
  for (const table of [
    'catalogue_import_rows',
    'catalogue_import_waiting',
    'catalogue_imports',
    'audit_log',
    'exit_rotations',
  ]) {
    const rows = await testApp.database.query<{ row: string }>(`select to_jsonb(${table})::text as row from ${table}`);
    for (const { row } of rows) {
      texts.push(row);
      for (const [, hex] of row.matchAll(/x([0-9a-f]{20,})/g)) texts.push(Buffer.from(hex!, 'hex').toString('latin1'));
    }
  }
  return texts.join('\n');
}
