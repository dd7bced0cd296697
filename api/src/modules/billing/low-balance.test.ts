import { connect, disconnect, listConnections } from '@cellhop/contract/connections';
import { listNotifications } from '@cellhop/contract/notifications';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProxy, createUser, topUp, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { endConnection, endIdle } from './ending.service.ts';
import { warnOfLowBalances } from './alerts.service.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const notificationsOf = async (user: TestUser) =>
  (await user.call(listNotifications, { query: {} })).data.map(({ description, content }) => [description, content]);

async function buy(user: TestUser, price = 0.8): Promise<string> {
  const id = await createProxy(testApp, { priceMicros: BigInt(Math.round(price * 1_000_000)) });
  return (await user.call(connect, { body: { id, price } })).data.id;
}

describe('a low balance', () => {
  test('causes one warning while a connection is open, and another only after the balance has recovered', async () => {
    const user = await createUser(testApp, { balanceMicros: 1_300_000n });
    await warnOfLowBalances(testApp.ctx);
    await buy(user);
    await warnOfLowBalances(testApp.ctx);
    await warnOfLowBalances(testApp.ctx);
    expect(await notificationsOf(user)).toEqual([
      [
        'Your balance is low: <b>$0.90</b>.',
        '<a href="/payments/invoices?create=true">Top up</a> to keep your connections running.',
      ],
    ]);
    await topUp(testApp, user.accountId, 500_000n);
    await warnOfLowBalances(testApp.ctx);
    await buy(user);
    await Promise.all([warnOfLowBalances(testApp.ctx), warnOfLowBalances(testApp.ctx)]);
    expect((await notificationsOf(user)).length).toBe(1);
    await buy(user);
    await Promise.all([warnOfLowBalances(testApp.ctx), warnOfLowBalances(testApp.ctx)]);
    expect((await notificationsOf(user)).map(([text]) => text)).toEqual([
      'Your balance is low: <b>$0.60</b>.',
      'Your balance is low: <b>$0.90</b>.',
    ]);
  });

  test('starts at the price of 50 MB of the most expensive open connection', async () => {
    const user = await createUser(testApp, { balanceMicros: 3_900_000n });
    await buy(user, 4);
    await warnOfLowBalances(testApp.ctx);
    expect((await notificationsOf(user)).map(([text]) => text)).toEqual(['Your balance is low: <b>$1.90</b>.']);
  });

  test('causes no warning without an open connection', async () => {
    const user = await createUser(testApp, { balanceMicros: 900_000n });
    const id = await buy(user);
    await user.call(disconnect, { params: { id } });
    await warnOfLowBalances(testApp.ctx);
    expect(await notificationsOf(user)).toEqual([]);
  });
});

describe('the end of a connection', () => {
  test('causes a notification with the reason and the refund', async () => {
    const user = await createUser(testApp, { balanceMicros: 5_000_000n });
    const id = await buy(user);
    await endConnection(testApp.ctx, id, 'ADMIN');
    const { ip } = (await user.call(listConnections, { query: {} })).data[0]!;
    expect(await notificationsOf(user)).toEqual([
      [
        `Proxy <a href="/connection-history">${ip}</a> has been disconnected: the support team ended the connection.`,
        '<b>$0.40</b> for unused traffic has been refunded to your balance.',
      ],
    ]);
  });

  test('because of idleness causes a notification too', async () => {
    const user = await createUser(testApp, { balanceMicros: 5_000_000n });
    const id = await buy(user);
    await testApp.database.query(
      `update connections set created_at = now() - interval '1 hour', idle_marks = array[(now() - interval '31 minutes', 0)::traffic_mark] where id = $1`,
      [id],
    );
    await endIdle(testApp.ctx, id);
    expect((await notificationsOf(user)).map(([text, content]) => [text?.split(': ')[1], content])).toEqual([
      ['there was no traffic for too long.', null],
    ]);
  });

  test('requested by its own user causes no notification', async () => {
    const user = await createUser(testApp, { balanceMicros: 5_000_000n });
    await user.call(disconnect, { params: { id: await buy(user) } });
    expect(await notificationsOf(user)).toEqual([]);
  });
});
