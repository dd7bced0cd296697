import { updateProfile } from '@cellhop/contract/users';
import { listNotifications, markNotificationsRead } from '@cellhop/contract/notifications';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { openStream } from '../../../test/live.ts';
import { newInvoice, pay, watch } from '../../../test/sandbox-payments.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { deleteOldNotifications, notify } from './notifications.service.ts';
import type { NotificationEvent } from './notification-texts.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const list = (user: TestUser, query: { page?: number; size?: number } = {}) => user.call(listNotifications, { query });
const topUpNotice: NotificationEvent = { kind: 'TOP_UP', details: { amount: 25 } };
const notifyUser = (user: TestUser, key: string = randomUUID(), notice: NotificationEvent = topUpNotice) =>
  testApp.ctx.tx((ctx) => notify(ctx, user.id, key, notice));
const insertMany = (user: TestUser, count: number, age: string) =>
  testApp.database.query(
    `insert into notifications (user_id, idempotency_key, kind, details, created_at)
     select $1, 'old:' || $3 || number, 'TOP_UP', '{"amount": 1}', now() - $3::interval
       from generate_series(1, $2) as number`,
    [user.id, count, age],
  );

describe('notifications', () => {
  test('are listed in pages, newest first, with the number of unread ones', async () => {
    const user = await createUser(testApp);
    expect(await list(user)).toEqual({ data: [], totalPages: 0, unreadCount: 0 });
    await insertMany(user, 3, '1 minute');
    await notifyUser(user);
    const { data, totalPages, unreadCount } = await list(user, { size: 2 });
    expect([data.length, totalPages, unreadCount]).toEqual([2, 2, 4]);
    expect(data[0]).toEqual({
      id: expect.any(String),
      description: '<b>$25.00</b> has been credited to your balance.',
      content: null,
      createdAt: expect.any(String),
      isRead: false,
    });
  });

  test('can only be marked as read by their recipient', async () => {
    const [reader, stranger] = [await createUser(testApp), await createUser(testApp)];
    await notifyUser(reader);
    await notifyUser(reader);
    const [first, second] = (await list(reader)).data;
    const ids = [first!.id, second!.id];
    expect((await stranger.call(markNotificationsRead, { body: { ids } })).data).toEqual({ unreadCount: 0 });
    expect((await list(reader)).unreadCount).toBe(2);
    expect((await list(stranger)).data).toEqual([]);
    const readFirst = { body: { ids: [first!.id, randomUUID()] } };
    expect((await reader.call(markNotificationsRead, readFirst)).data).toEqual({ unreadCount: 1 });
    expect((await list(reader)).data.map(({ isRead }) => isRead)).toEqual([true, false]);
  });

  test.each([{ ids: [] }, { ids: ['no id'] }, {}])('are not marked as read by %j', async (body) => {
    const user = await createUser(testApp);
    await expect(user.call(markNotificationsRead, { body: body as never })).rejects.toMatchObject({
      code: 'VALIDATION',
    });
  });

  test('are created once per event key', async () => {
    const user = await createUser(testApp);
    await Promise.all([notifyUser(user, 'same'), notifyUser(user, 'same'), notifyUser(user, 'same')]);
    expect((await list(user)).data).toHaveLength(1);
  });

  test('are not created if the transaction was rolled back', async () => {
    const user = await createUser(testApp);
    const rolledBack = testApp.ctx.tx(async (ctx) => {
      await notify(ctx, user.id, 'never', topUpNotice);
      throw new Error('changed my mind');
    });
    await expect(rolledBack).rejects.toThrow('changed my mind');
    expect((await list(user)).data).toEqual([]);
  });

  test("are shown in the reader's current language", async () => {
    const user = await createUser(testApp, { languageCode: 'ru' });
    await notifyUser(user);
    expect((await list(user)).data[0]!.description).toBe('На ваш баланс зачислено <b>$25,00</b>.');
    await user.call(updateProfile, { body: { languageCode: 'en' } });
    expect((await list(user)).data[0]!.description).toContain('has been credited');
  });

  test('escape values', async () => {
    const user = await createUser(testApp);
    const name = '<img src=x onerror=alert(1)>"';
    await notifyUser(user, 'ticket', { kind: 'TICKET_ANSWER', details: { ticketId: randomUUID(), name } });
    expect((await list(user)).data[0]!.description).not.toMatch(/<img|"onerror/);
  });

  test('update open pages when they are created and read', async () => {
    const user = await createUser(testApp);
    const stream = await openStream(testApp.url, user);
    await notifyUser(user);
    await stream.saw('changed notifications');
    stream.events.length = 0;
    const [notification] = (await list(user)).data;
    await user.call(markNotificationsRead, { body: { ids: [notification!.id] } });
    await stream.saw('changed notifications');
    expect(stream.events).toEqual(['changed notifications']);
    stream.close();
  });

  test('are kept for 90 days, and the newest 500 of each user', async () => {
    const [busy, calm] = [await createUser(testApp), await createUser(testApp)];
    await insertMany(busy, 3, '91 days');
    await insertMany(busy, 510, '1 hour');
    await insertMany(calm, 2, '91 days');
    await insertMany(calm, 2, '89 days');
    await notifyUser(busy);
    await deleteOldNotifications(testApp.ctx);
    const { data, totalPages } = await list(busy, { size: 100 });
    expect([data[0]!.description, totalPages]).toEqual([expect.stringContaining('$25.00'), 5]);
    expect((await list(calm)).data).toHaveLength(2);
  });
});

describe('a top-up', () => {
  test('causes one notification when it is credited', async () => {
    const user = await createUser(testApp);
    await pay(testApp, await newInvoice(user));
    await watch(testApp, 'BTC');
    expect((await list(user)).data.map(({ description }) => description)).toEqual([
      '<b>$25.00</b> has been credited to your balance.',
    ]);
  });

  test('of a referral only notifies a referrer who earns a bonus', async () => {
    const [silver, basic] = [await createUser(testApp), await createUser(testApp)];
    const payer = await createUser(testApp, { referrerId: silver.id });
    const earlier = await newInvoice(payer, 'ETH');
    await testApp.database.query(
      `insert into referral_payments (invoice_id, referrer_id, paid_at)
       values ($1, $2, date_trunc('month', now(), 'UTC') - interval '1 second')`,
      [earlier.id, silver.id],
    );
    await pay(testApp, await newInvoice(payer));
    await pay(testApp, await newInvoice(await createUser(testApp, { referrerId: basic.id })));
    expect((await list(silver)).data.map(({ description }) => description)).toEqual([
      'Referral bonus: <b>$2.50</b>, 10% of a top-up by your referral.',
    ]);
    expect((await list(basic)).data).toEqual([]);
  });
});
