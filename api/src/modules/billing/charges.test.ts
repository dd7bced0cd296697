import { connect, disconnect } from '@cellhop/contract/connections';
import { getConnectionCost, getReceipt, listCharges } from '@cellhop/contract/receipts';
import { listAnyCharges } from '@cellhop/contract/staff/connections';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { registerNode } from '../gateway/gateway.service.ts';

const MB = 1_048_576;

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
});
afterAll(() => testApp.stop());

async function buy() {
  const user = await createUser(testApp, { balanceMicros: 10_000_000n });
  const { data: connection } = await user.call(connect, {
    body: { id: await createProxy(testApp), price: 0.8 },
  });
  const run = createGatewayRun(testApp);
  await run.authorize(connection);
  return { user, id: connection.id, run };
}

const receiptOf = async (user: TestUser, id: string) => (await user.call(getReceipt, { params: { id } })).data;
const costOf = async (user: TestUser, id: string) => (await user.call(getConnectionCost, { params: { id } })).data;

test('the pages contain the charges of the receipt, newest first', async () => {
  const { user, id, run } = await buy();
  for (const megabytes of [51, 54, 55, 60, 62]) await run.report(id, megabytes * MB, 10 * MB);
  const { charges } = await receiptOf(user, id);
  expect(charges).toHaveLength(5);
  const pages = await Promise.all(
    [1, 2, 3, 4].map((page) => user.call(listCharges, { params: { id }, query: { page, size: 2 } })),
  );
  expect(pages.map(({ totalPages }) => totalPages)).toEqual([3, 3, 3, 3]);
  expect(pages.flatMap(({ data }) => data)).toEqual(charges.toReversed());
});

test('the cost after each charge is the sum of the charges up to it', async () => {
  const { user, id, run } = await buy();
  for (const megabytes of [51, 54, 55, 60, 62]) await run.report(id, megabytes * MB, 10 * MB);
  const { charges, createdAt, total } = await receiptOf(user, id);
  let micros = 0;
  const steps = charges.map(({ chargedAt, amount }) => {
    micros += Math.round(amount * 1e6);
    return { chargedAt, cost: micros / 1e6 };
  });
  const cost = await costOf(user, id);
  expect(cost).toEqual({ createdAt, until: expect.any(String), total, steps });
  expect(Date.parse(cost.until)).toBeGreaterThanOrEqual(Date.parse(charges.at(-1)!.chargedAt));
});

test('a refund is the newest charge and the last step', async () => {
  const { user, id, run } = await buy();
  await run.report(id, MB + 1, 0);
  await run.end(id, MB + 1, 0);
  await user.call(disconnect, { params: { id } });
  const receipt = await receiptOf(user, id);
  const { data } = await user.call(listCharges, { params: { id }, query: {} });
  expect(data).toEqual(receipt.charges.toReversed());
  expect(data[0]).toMatchObject({ kind: 'REFUND', number: 2 });
  const cost = await costOf(user, id);
  expect(cost).toMatchObject({ total: receipt.total, until: receipt.disconnectAt });
  expect(cost.steps.map((step) => step.cost)).toEqual([0.4, 0.016]);
});

test('of 100,000 charges at most 240 steps are read, the last one among them', async () => {
  const { user, id } = await buy();
  await testApp.database.query(
    `with connection as (select * from connections where id = $1), posted as (
       insert into transfers (debit_account_id, credit_account_id, amount_micros, reason, megabyte_from, megabyte_to,
                              uploaded_bytes, downloaded_bytes, charge_hash)
       select 1, escrow_account_id, 8000, 'MEGABYTE', number + 48, number + 49, 0, 0, charge_hash
         from connection, generate_series(2, 100000) as number
     )
     update connections set charged_megabytes = 100049, charge_count = 100000 where id = $1`,
    [id],
  );
  const { steps, total } = await costOf(user, id);
  expect(steps).toHaveLength(240);
  expect(total).toBe(800.392);
  expect(steps.at(-1)!.cost).toBe(total);
  const { data, totalPages } = await user.call(listCharges, { params: { id }, query: { page: 2000 } });
  expect(totalPages).toBe(2000);
  expect(data.map(({ number }) => number)).toEqual(Array.from({ length: 50 }, (_, index) => 50 - index));
});

test("charges and cost are visible to the connection's owner only", async () => {
  const { id } = await buy();
  const stranger = await createUser(testApp);
  for (const other of [id, randomUUID()]) {
    const params = { id: other };
    const refused = { status: 404, code: 'NOT_FOUND', message: 'Connection not found' };
    await expect(stranger.call(listCharges, { params, query: {} })).rejects.toMatchObject(refused);
    await expect(stranger.call(getConnectionCost, { params })).rejects.toMatchObject(refused);
  }
  await expect(testApp.call(listCharges, { params: { id }, query: {} })).rejects.toMatchObject({ status: 401 });
  await expect(testApp.call(getConnectionCost, { params: { id } })).rejects.toMatchObject({ status: 401 });
});

test('staff who may read connections see the charges of any of them', async () => {
  const { user, id, run } = await buy();
  await run.report(id, 52 * MB, 0);
  const { data: own } = await user.call(listCharges, { params: { id }, query: {} });
  const support = await createUser(testApp, { roleName: 'SUPPORT' });
  expect((await support.call(listAnyCharges, { params: { id }, query: {} })).data).toEqual(own);
  await expect(support.call(listAnyCharges, { params: { id: randomUUID() }, query: {} })).rejects.toMatchObject({
    status: 404,
  });
  await expect(user.call(listAnyCharges, { params: { id }, query: {} })).rejects.toMatchObject({ status: 403 });
});
