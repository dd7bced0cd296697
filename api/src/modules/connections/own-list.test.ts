/** The history of a customer: search, labels, and the balance after the costs. */
import { changeConnection, connect, disconnect, listConnections } from '@cellhop/contract/connections';
import { getConnectionCost } from '@cellhop/contract/receipts';
import type { ClientInput } from '@cellhop/contract/endpoint';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { registerNode } from '../gateway/gateway.service.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
});
afterAll(() => testApp.stop());

const rich = () => createUser(testApp, { balanceMicros: 10_000_000n });

async function buy(user: TestUser, proxyId?: string) {
  const id = proxyId ?? (await createProxy(testApp));
  return (await user.call(connect, { body: { id, price: 0.8 } })).data;
}

async function find(user: TestUser, query: ClientInput<typeof listConnections>['query']): Promise<string[]> {
  const { data } = await user.call(listConnections, { query });
  return data.map(({ id }) => id);
}

describe("a customer's history", () => {
  test('is searched by label, address and location, and narrowed to active connections', async () => {
    const user = await rich();
    const city = `Kassel ${randomUUID()}`;
    const first = await buy(user, await createProxy(testApp, { city }));
    const second = await buy(user);
    await user.call(disconnect, { params: { id: second.id } });
    const { data: named } = await user.call(changeConnection, {
      params: { id: second.id },
      body: { label: '  Shop 50%  ' },
    });
    expect(named).toMatchObject({ id: second.id, label: 'Shop 50%', status: 'DISCONNECT_USER' });

    expect(await find(user, { search: 'shop 50%' })).toEqual([second.id]);
    expect(await find(user, { search: city.toUpperCase() })).toEqual([first.id]);
    expect(await find(user, { search: first.ip })).toContain(first.id);
    expect(await find(user, { search: 'nothing like it' })).toEqual([]);
    expect(await find(user, { active: 'true' })).toEqual([first.id]);
    expect(await find(user, { active: 'true', search: 'shop' })).toEqual([]);
    expect(await find(user, { id: second.id })).toEqual([second.id]);
    expect((await user.call(listConnections, { query: { search: 'shop' } })).totalPages).toBe(1);

    await user.call(changeConnection, { params: { id: second.id }, body: { label: '' } });
    expect(await find(user, { search: 'shop' })).toEqual([]);
  });

  test('has a cost of zero after a full refund', async () => {
    const user = await rich();
    const { id } = await buy(user);
    await user.call(disconnect, { params: { id } });
    const { data: cost } = await user.call(getConnectionCost, { params: { id } });
    expect(cost.total).toBe(0);
    expect(cost.steps.map((step) => step.cost)).toEqual([0.4, 0]);
  });

  test('has the balance from the same snapshot', async () => {
    const user = await rich();
    expect((await user.call(listConnections, { query: {} })).balance).toBeUndefined();
    const { paidFor } = await buy(user);
    const { data, balance } = await user.call(listConnections, { query: {} });
    expect(data[0]!.paidFor).toBe(paidFor);
    expect(balance).toBe(10 - paidFor);
  });

  test('accepts a short label, from its owner only', async () => {
    const [owner, stranger] = [await rich(), await rich()];
    const { id } = await buy(owner);
    const name = (user: TestUser, label: string) => user.call(changeConnection, { params: { id }, body: { label } });
    await expect(name(stranger, 'mine')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(name(owner, 'x'.repeat(61))).rejects.toMatchObject({ code: 'VALIDATION' });
    expect(await find(stranger, { id })).toEqual([]);
  });
});
