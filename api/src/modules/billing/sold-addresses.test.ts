import { connect, listConnections } from '@cellhop/contract/connections';
import { getReceipt } from '@cellhop/contract/receipts';
import { listNotifications } from '@cellhop/contract/notifications';
import { endAnyConnection, listAllConnections } from '@cellhop/contract/staff/connections';
import { getTimeline } from '@cellhop/contract/staff/timeline';
import { getUsage } from '@cellhop/contract/usage';
import { listTransactions } from '@cellhop/contract/transactions';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { fillSoldAddresses } from './sold-addresses.service.ts';
import { fillAddresses } from './sold-addresses.store.ts';

let testApp: TestApp;
let support: TestUser;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  support = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  user = await createUser(testApp, { balanceMicros: 10_000_000n });
});

const buy = async () => (await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } })).data;
const query = <Row>(sql: string, values: unknown[] = []) => testApp.database.query<Row>(sql, values);
const receiptOf = async (id: string) => {
  const { issuedAt, signature, ...facts } = (await user.call(getReceipt, { params: { id } })).data;
  return { facts: JSON.stringify(facts), issuedAt, signature };
};
const moveProxyOf = (id: string, ip: string) =>
  query('update proxies set ip = $2 where id = (select proxy_id from connections where id = $1)', [id, ip]);
/** As a process of the previous release sells, which does not know the column. */
const forgetAddresses = () => query('update connections set address = null');
const missing = async () => (await query('select from connections where address is null')).length;

describe('the address of a connection', () => {
  test('is the one it was sold with, wherever it is shown, after its proxy has got another one', async () => {
    const { id, ip } = await buy();
    const before = await receiptOf(id);
    await moveProxyOf(id, '203.0.113.77');
    const { data: own } = await user.call(listConnections, { query: {} });
    const { data: found } = await support.call(listAllConnections, { query: { ip } });
    expect([own[0]!.ip, found.map((each) => each.id), found[0]!.ip]).toEqual([ip, [id], ip]);
    expect((await support.call(listAllConnections, { query: { ip: '203.0.113.77' } })).data).toEqual([]);
    expect((await receiptOf(id)).facts).toBe(before.facts);
    const { data: transactions } = await user.call(listTransactions, { query: {} });
    expect(transactions.map(({ subject }) => subject?.label)).toContain(ip);
    const usage = await user.call(getUsage, {
      query: {
        from: new Date(Date.now() - 3_600_000).toISOString(),
        to: new Date(Date.now() + 3_600_000).toISOString(),
        step: 'hour',
      },
    });
    expect(usage.data.connections.map((each) => each.ip)).toEqual([ip]);
    const { data: timeline } = await support.call(getTimeline, {
      params: { id: user.id },
      query: { kind: ['PURCHASE'] },
    });
    expect(timeline).toMatchObject([{ ip }]);
  });

  test('is the one of the notification when it ends', async () => {
    const { id, ip } = await buy();
    await moveProxyOf(id, '203.0.113.78');
    await support.call(endAnyConnection, { params: { id }, body: {} });
    const { data } = await user.call(listNotifications, { query: {} });
    expect(data[0]!.description).toContain(ip);
  });
});

describe('a connection that the previous release has sold', () => {
  test('has the same receipt before and after its address is filled in', async () => {
    const { id } = await buy();
    const sold = await receiptOf(id);
    await forgetAddresses();
    const unfilled = await receiptOf(id);
    await fillSoldAddresses(testApp.ctx);
    expect(await missing()).toBe(0);
    expect([unfilled.facts, (await receiptOf(id)).facts]).toEqual([sold.facts, sold.facts]);
  });

  test('is found by the address of its proxy until then', async () => {
    const { id, ip } = await buy();
    await forgetAddresses();
    const { data } = await support.call(listAllConnections, { query: { ip, at: new Date().toISOString() } });
    expect(data.map((each) => each.id)).toEqual([id]);
  });

  test('is filled in batches, which leave out what is being charged', async () => {
    const { id } = await buy();
    await buy();
    await buy();
    await forgetAddresses();
    const all = await missing();
    await testApp.ctx.tx(async (ctx) => {
      await ctx.db.query('select from connections where id = $1 for no key update', [id]);
      expect(await fillAddresses(testApp.ctx, 1)).toBe(1);
      await fillSoldAddresses(testApp.ctx);
      expect(await missing()).toBe(1);
    });
    expect(all).toBeGreaterThan(2);
    await fillSoldAddresses(testApp.ctx);
    expect(await missing()).toBe(0);
  });
});
