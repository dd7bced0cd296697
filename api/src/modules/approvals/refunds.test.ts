import { connect, disconnect, listConnections, type Connection } from '@cellhop/contract/connections';
import { listNotifications } from '@cellhop/contract/notifications';
import { approveAdjustment, listAdjustmentRequests } from '@cellhop/contract/staff/approvals';
import { endAnyConnection, listAllConnections, refundConnection } from '@cellhop/contract/staff/connections';
import { listTransactions } from '@cellhop/contract/transactions';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { balanceOf, createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { entriesAbout, REASON } from '../../../test/staff-requests.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { registerNode } from '../gateway/gateway.service.ts';

const DOLLAR = 1_000_000n;
const MB = 1_048_576;

let testApp: TestApp;
let staff: TestUser;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
});
beforeEach(async () => {
  staff = await createUser(testApp, { roleName: 'ADMIN' });
  user = await createUser(testApp, { balanceMicros: 10n * DOLLAR });
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

const buy = async (): Promise<Connection> =>
  (await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } })).data;
const refund = async ({ id }: { id: string }, amount: number, key: string = randomUUID(), { call } = staff) =>
  (
    await call(
      refundConnection,
      { params: { id }, body: { amount, reason: REASON } },
      { headers: { 'idempotency-key': key } },
    )
  ).data;
const reload = async ({ id }: { id: string }) => (await user.call(listConnections, { query: { id } })).data[0]!;
/** Beyond the refund window, so that nothing goes back by itself. */
const age = ({ id }: { id: string }) =>
  testApp.database.query("update connections set created_at = created_at - interval '2 hours' where id = $1", [id]);

async function buyAndEnd(): Promise<Connection> {
  const connection = await buy();
  await age(connection);
  await user.call(disconnect, { params: { id: connection.id } });
  return connection;
}

describe('a refund of a connection', () => {
  test('gives back what an ended one cost, is linked to it, and its refund status follows', async () => {
    const connection = await buyAndEnd();
    expect(await reload(connection)).toMatchObject({ paidFor: 0.4, refundStatus: 'NONE' });
    expect(await refund(connection, 0.4)).toMatchObject({
      kind: 'REFUND',
      status: 'APPLIED',
      amount: 0.4,
      connection: { id: connection.id, ip: connection.ip },
    });
    expect(await balanceOf(testApp, user)).toBe(10n * DOLLAR);
    expect(await reload(connection)).toMatchObject({ paidFor: 0, refundStatus: 'REFUNDED' });
    const [transaction] = (await user.call(listTransactions, { query: {} })).data;
    expect(transaction).toMatchObject({
      kind: 'ADJUSTMENT',
      amount: 0.4,
      subject: { kind: 'CONNECTION', id: connection.id, label: connection.ip },
    });
    const [notification] = (await user.call(listNotifications, { query: {} })).data;
    expect(notification!.description).toContain(`<b>$0.40</b> for your connection to ${connection.ip}`);
    expect(await entriesAbout(testApp, user)).toMatchObject([
      {
        action: 'CONNECTION_REFUNDED',
        actorId: staff.id,
        subjectType: 'CONNECTION',
        subjectId: connection.id,
        details: { kind: 'REFUND', amount: 0.4, reason: REASON },
      },
    ]);
  });

  test('of a part shows what is left, and no more than the cost goes back', async () => {
    const connection = await buyAndEnd();
    await refund(connection, 0.1);
    expect(await reload(connection)).toMatchObject({ paidFor: 0.3, refundStatus: 'PARTLY_REFUNDED' });
    const { data } = await staff.call(listAllConnections, { query: { id: connection.id } });
    expect(data).toMatchObject([{ paidFor: 0.3, refundStatus: 'PARTLY_REFUNDED' }]);
    await expect(refund(connection, 0.300_001)).rejects.toMatchObject({
      status: 409,
      code: 'REFUND_TOO_LARGE',
      message: 'At most 0.3 USD of this connection can be refunded',
    });
    await refund(connection, 0.3);
    await expect(refund(connection, 0.000_001)).rejects.toMatchObject({ code: 'REFUND_TOO_LARGE' });
    expect(await balanceOf(testApp, user)).toBe(10n * DOLLAR);
  });

  test('is made once per idempotency key, and concurrent ones never exceed the cost', async () => {
    const [connection, key] = [await buyAndEnd(), randomUUID()];
    const made = await Promise.all([1, 2, 3].map(() => refund(connection, 0.1, key)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    await expect(refund(connection, 0.2, key)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => refund(connection, 0.2)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await reload(connection)).toMatchObject({ paidFor: 0.1 });
  });

  test('of an open one is not refunded a second time when it ends within the refund window', async () => {
    const connection = await buy();
    await refund(connection, 0.4);
    const { data } = await user.call(disconnect, { params: { id: connection.id } });
    expect(data).toMatchObject({ paidFor: 0, refundStatus: 'REFUNDED', currentBalance: 10 });
  });

  test('of an open one is all of it, or at most what its traffic has cost: the rest comes back by itself', async () => {
    const connection = await buy();
    const run = createGatewayRun(testApp);
    await run.authorize(connection);
    await run.report(connection.id, 5 * MB);
    await expect(refund(connection, 0.1)).rejects.toMatchObject({
      message: 'At most 0.04 USD of this connection can be refunded',
    });
    await refund(connection, 0.03);
    expect(await reload(connection)).toMatchObject({ paidFor: 0.37, refundStatus: 'PARTLY_REFUNDED' });
    await run.end(connection.id, 5 * MB);
    await staff.call(endAnyConnection, { params: { id: connection.id }, body: { reason: REASON } });
    expect(await reload(connection)).toMatchObject({ paidFor: 0.01, refundStatus: 'PARTLY_REFUNDED' });
    await refund(connection, 0.01);
    expect(await reload(connection)).toMatchObject({ paidFor: 0, refundStatus: 'REFUNDED' });
    expect(await balanceOf(testApp, user)).toBe(10n * DOLLAR);
  });

  test('above the limit waits, and counts with other requests for the customer', async () => {
    const connection = await buyAndEnd();
    await testApp.database.query(
      "update staff_requests set created_at = now() - interval '2 days' where user_id = $1",
      [user.id],
    );
    const second = await createUser(testApp, { roleName: 'FINANCE' });
    const author = await createUser(testApp, { roleName: 'FINANCE' });
    testApp.ctx.config.approvalMicros = 300_000n;
    const request = await refund(connection, 0.4, randomUUID(), author);
    testApp.ctx.config.approvalMicros = 100n * DOLLAR;
    expect(request.status).toBe('PENDING');
    expect(await reload(connection)).toMatchObject({ paidFor: 0.4, refundStatus: 'NONE' });
    const { data } = await second.call(listAdjustmentRequests, { query: { userId: user.id } });
    expect(data).toMatchObject([{ id: request.id, kind: 'REFUND', connection: { id: connection.id } }]);
    await second.call(approveAdjustment, { params: { id: request.id }, body: {} });
    expect(await reload(connection)).toMatchObject({ paidFor: 0, refundStatus: 'REFUNDED' });
    expect(await balanceOf(testApp, user)).toBe(10n * DOLLAR);
  });

  test.each([0, -1, 0.000_000_1, 100_001])('of $%d is refused', async (amount) => {
    await expect(refund(await buyAndEnd(), amount)).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  test('of an unknown connection is not found, and it is forbidden without the permission', async () => {
    await expect(refund({ id: randomUUID() }, 1)).rejects.toMatchObject({
      status: 404,
      message: 'Connection not found',
    });
    const support = await createUser(testApp, { roleName: 'SUPPORT' });
    await expect(refund(await buyAndEnd(), 0.1, randomUUID(), support)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
