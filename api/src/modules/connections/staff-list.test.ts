import { connect, disconnect, type Connection } from '@cellhop/contract/connections';
import { listAllConnections } from '@cellhop/contract/staff/connections';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

type Query = Parameters<typeof list>[0];

let testApp: TestApp;
let support: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  support = await createUser(testApp, { roleName: 'SUPPORT' });
});
afterAll(() => testApp.stop());

const list = async (query: {
  userId?: string;
  status?: Connection['status'];
  ip?: string;
  at?: string;
  client?: string;
  createdFrom?: string;
  createdTo?: string;
  sort?: 'createdAt' | '-createdAt';
  size?: number;
  page?: number;
}) => {
  const { data, totalPages } = await support.call(listAllConnections, { query });
  return { ids: data.map(({ id }) => id), totalPages };
};

describe("staff's list of connections", () => {
  let user: TestUser;
  let bought: Connection[];
  beforeEach(async () => {
    user = await createUser(testApp, { balanceMicros: 5_000_000n });
    bought = [];
    for (let day = 1; day <= 3; day++) {
      const { data } = await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } });
      bought.push(data);
      await testApp.database.query('update connections set created_at = $2 where id = $1', [
        data.id,
        `2026-03-0${day}T12:00:00Z`,
      ]);
    }
    await user.call(disconnect, { params: { id: bought[1]!.id } });
  });
  const expectListed = async (query: Omit<Query, 'userId'>, indexes: number[]) =>
    expect((await list({ ...query, userId: user.id })).ids).toEqual(indexes.map((index) => bought[index]!.id));

  test('can be filtered and sorted', async () => {
    await expectListed({}, [2, 1, 0]);
    await expectListed({ sort: 'createdAt' }, [0, 1, 2]);
    await expectListed({ status: 'WORK' }, [2, 0]);
    await expectListed({ status: 'DISCONNECT_USER' }, [1]);
    await expectListed({ ip: bought[0]!.ip }, [0]);
    await expectListed({ createdFrom: '2026-03-02T12:00:00Z' }, [2, 1]);
    await expectListed({ createdFrom: '2026-03-02T00:00:00Z', createdTo: '2026-03-03T12:00:00Z' }, [1]);
    expect((await list({ userId: randomUUID() })).totalPages).toBe(0);
  });

  test('finds everybody who had an address, written in any form', async () => {
    const { ip } = bought[1]!;
    const next = await createUser(testApp, { balanceMicros: 5_000_000n });
    const [proxy] = await testApp.database.query<{ id: string }>('select id from proxies where ip = $1', [ip]);
    const { data } = await next.call(connect, { body: { id: proxy!.id, price: 0.8 } });
    expect((await list({ ip })).ids).toEqual([data.id, bought[1]!.id]);
    expect((await list({ ip: ip.toUpperCase() })).ids).toHaveLength(2);
    await expect(list({ ip: 'localhost' })).rejects.toMatchObject({ status: 400 });
  });

  test('tells who had an address at a time', async () => {
    const { ip } = bought[1]!;
    await testApp.database.query('update connections set ended_at = $2 where id = $1', [
      bought[1]!.id,
      '2026-03-02T14:00:00Z',
    ]);
    expect((await list({ ip, at: '2026-03-02T13:59:00Z' })).ids).toEqual([bought[1]!.id]);
    for (const at of ['2026-03-02T11:59:00Z', '2026-03-02T14:00:00Z']) expect((await list({ ip, at })).ids).toEqual([]);
    expect((await list({ ip: bought[0]!.ip, at: new Date().toISOString() })).ids).toEqual([bought[0]!.id]);
    await expect(list({ at: '2026-03-02T13:59:00Z' })).rejects.toMatchObject({ status: 400 });
  });

  test('finds connections by the address of a client', async () => {
    await testApp.database.query('insert into client_addresses (connection_id, address) values ($1, $2)', [
      bought[2]!.id,
      '2001:db8::7',
    ]);
    expect((await list({ client: '2001:DB8:0:0::7' })).ids).toEqual([bought[2]!.id]);
    expect((await list({ client: '2001:db8::8' })).ids).toEqual([]);
  });

  test('has pages', async () => {
    const first = await list({ userId: user.id, size: 2 });
    const second = await list({ userId: user.id, size: 2, page: 2 });
    expect([...first.ids, ...second.ids]).toEqual(bought.map(({ id }) => id).toReversed());
    expect(first.totalPages).toBe(2);
  });
});
