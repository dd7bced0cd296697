/** @module-tag thorough */
import { connect, disconnect, type Connection } from '@cellhop/contract/connections';
import { listAllConnections } from '@cellhop/contract/staff/connections';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  checkFailed,
  type CheckingNode,
  checkOk,
  createCheckingNode,
  createUncheckedExit,
} from '../../../test/checking-node.ts';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { deleteOldAddresses } from './exit-checks.service.ts';

let testApp: TestApp;
let support: TestUser;
let customer: TestUser;
let node: CheckingNode;
let exit: Awaited<ReturnType<typeof createUncheckedExit>>;
beforeAll(async () => {
  testApp = await startTestApp();
  support = await createUser(testApp, { roleName: 'SUPPORT' });
  customer = await createUser(testApp, { balanceMicros: 100_000_000n });
  node = await createCheckingNode(testApp);
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  exit = await createUncheckedExit(testApp, node);
});

const see = (seenAddress?: string) => node.exchange({ checks: [checkOk(exit.id, { seenAddress })] });
const buy = async (): Promise<Connection> =>
  (await customer.call(connect, { body: { id: exit.proxyId, price: 0.8 } })).data;
interface Row {
  address: string;
  since: Date;
  until: Date | null;
}
const kept = () =>
  testApp.database.query<Row>(
    'select host(address) as address, since, until from exit_addresses where exit_id = $1 order by since',
    [exit.id],
  );
const addresses = async () => (await kept()).map(({ address, until }) => [address, until === null]);
const whoHad = async (ip: string, at?: Date) => {
  const { data } = await support.call(listAllConnections, { query: { ip, ...(at && { at: at.toISOString() }) } });
  return data.map(({ id }) => id);
};

describe('the addresses of an exit', () => {
  test('are kept by time while connections use it, and one of them is that of now', async () => {
    await see('198.51.100.1');
    await buy();
    await see('198.51.100.1');
    await node.exchange({ checks: [checkFailed(exit.id)] });
    expect(await addresses()).toEqual([['198.51.100.1', true]]);
    await see('198.51.100.2');
    await see('198.51.100.1');
    expect(await addresses()).toEqual([
      ['198.51.100.1', false],
      ['198.51.100.2', false],
      ['198.51.100.1', true],
    ]);
    const rows = await kept();
    for (const [index, row] of rows.slice(1).entries()) expect(row.since >= rows[index]!.until!).toBe(true);
  });

  test('end when websites see one that is not public', async () => {
    await see('198.51.100.1');
    await buy();
    await see();
    expect(await addresses()).toEqual([['198.51.100.1', false]]);
    await see('198.51.100.2');
    expect(await addresses()).toEqual([
      ['198.51.100.1', false],
      ['198.51.100.2', true],
    ]);
  });

  test('are one row while nobody uses it, however often its address changes', async () => {
    for (let last = 1; last <= 20; last += 1) await see(`198.51.100.${last}`);
    expect(await addresses()).toEqual([['198.51.100.20', true]]);
    const { id } = await buy();
    await see('198.51.100.21');
    await customer.call(disconnect, { params: { id } });
    for (let last = 22; last <= 40; last += 1) await see(`198.51.100.${last}`);
    expect(await addresses()).toEqual([
      ['198.51.100.20', false],
      ['198.51.100.21', false],
      ['198.51.100.40', true],
    ]);
  });

  test('have one that is open at most, with each kind of writer', async () => {
    await see('198.51.100.1');
    const another = testApp.database.query(
      `insert into exit_addresses (exit_id, address, since) values ($1, '198.51.100.2', now() + interval '1 second')`,
      [exit.id],
    );
    await expect(another).rejects.toMatchObject({ code: '23505' });
  });

  test('are written by the database, whoever saves the check', async () => {
    await see('198.51.100.1');
    await buy();
    await testApp.database.query(`update exit_checks set seen_address = '2001:db8::1' where exit_id = $1`, [exit.id]);
    expect(await addresses()).toEqual([
      ['198.51.100.1', false],
      ['2001:db8::1', true],
    ]);
  });

  test('are deleted after the days of the setting, the current one never', async () => {
    await see('198.51.100.1');
    await buy();
    for (let last = 2; last <= 5; last += 1) await see(`198.51.100.${last}`);
    await testApp.database.query(
      `update exit_addresses set until = until - interval '364 days' where exit_id = $1 and address > '198.51.100.2'`,
      [exit.id],
    );
    await testApp.database.query(
      `update exit_addresses set since = since - interval '366 days', until = until - interval '366 days' where exit_id = $1
          and address <= '198.51.100.2'`,
      [exit.id],
    );
    await deleteOldAddresses(testApp.ctx);
    expect(await addresses()).toEqual([
      ['198.51.100.3', false],
      ['198.51.100.4', false],
      ['198.51.100.5', true],
    ]);
  });
});

describe('who had an address', () => {
  test('is whoever used an exit while it had it, even if another address was sold', async () => {
    await see('198.51.100.10');
    const first = await buy();
    const [before] = await kept();
    await see('198.51.100.11');
    const [, changed] = await kept();
    await customer.call(disconnect, { params: { id: first.id } });
    const second = await buy();
    await createProxy(testApp, { exitId: exit.id });
    expect(await whoHad('198.51.100.10')).toEqual([first.id]);
    expect(await whoHad('198.51.100.11')).toEqual([second.id, first.id]);
    expect(await whoHad('198.51.100.11', new Date())).toEqual([second.id]);
    expect(await whoHad('198.51.100.10', new Date())).toEqual([]);
    expect(await whoHad('198.51.100.10', before!.since)).toEqual([]);
    expect(await whoHad('198.51.100.10', new Date(changed!.since.getTime() - 1))).toEqual([first.id]);
    expect(await whoHad(first.ip)).toEqual([second.id, first.id]);
  });
});
