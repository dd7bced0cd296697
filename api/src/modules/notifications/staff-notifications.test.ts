import { listNotifications } from '@cellhop/contract/notifications';
import { listUserNotifications, notifyUser } from '@cellhop/contract/staff/notifications';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entriesOf } from '../../../test/audit-log.ts';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { openStream } from '../../../test/live.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(() => testApp.stop());

const description = 'Your <b>request</b> is done.<script>alert(1)</script>';
const notify = (user: TestUser, body: object = {}, headers: Record<string, string> = {}) =>
  admin.call(notifyUser, { body: { userId: user.id, description, ...body } }, { headers });

describe('a message of staff to one user', () => {
  test('reaches the user and their open pages, sanitized, and is recorded in the audit log', async () => {
    const [user, other] = [await createUser(testApp), await createUser(testApp)];
    const stream = await openStream(testApp.url, user);
    const { data } = await notify(user, { content: '<a href="/faq">Read more</a>' });
    expect(data).toMatchObject({
      description: 'Your <b>request</b> is done.',
      content: '<a href="/faq">Read more</a>',
      isRead: false,
    });
    await stream.saw('changed notifications');
    stream.close();
    expect((await user.call(listNotifications, { query: {} })).data).toEqual([data]);
    expect((await other.call(listNotifications, { query: {} })).data).toEqual([]);
    expect((await entriesOf(testApp, user.id)).at(-1)).toMatchObject({
      action: 'NOTIFICATION_SENT',
      actorId: admin.id,
      ip: '127.0.0.1',
      details: {
        notificationId: data.id,
        after: { description: data.description, content: data.content },
      },
    });
  });

  test('is sent once for its idempotency key, which cannot be reused', async () => {
    const [user, other] = [await createUser(testApp), await createUser(testApp)];
    const key = { 'idempotency-key': randomUUID() };
    const sent = await Promise.all([notify(user, {}, key), notify(user, {}, key), notify(user, {}, key)]);
    expect(new Set(sent.map(({ data }) => data.id)).size).toBe(1);
    const reused = { status: 409, code: 'IDEMPOTENCY_KEY_REUSED' };
    await expect(notify(user, { description: 'Another' }, key)).rejects.toMatchObject(reused);
    await expect(notify(other, {}, key)).rejects.toMatchObject(reused);
    await notify(user);
    expect((await user.call(listNotifications, { query: {} })).data).toHaveLength(2);
    expect((await entriesOf(testApp, user.id)).filter(({ action }) => action === 'NOTIFICATION_SENT')).toHaveLength(2);
  });

  test.each([
    [{ description: '' }, 'body.description'],
    [{ description: '<style>b{}</style>' }, 'body.description'],
    [{ content: ' ' }, 'body.content'],
    [{ userId: 'nobody' }, 'body.userId'],
  ])('is refused: %j', async (body, path) => {
    await expect(notify(admin, body)).rejects.toMatchObject({
      code: 'VALIDATION',
      body: { details: expect.arrayContaining([expect.objectContaining({ path })]) },
    });
  });
});

describe('the notifications of a user', () => {
  test('are shown to staff in pages as the user sees them, and stay unread', async () => {
    const user = await createUser(testApp, { languageCode: 'ru' });
    const support = await createUser(testApp, { roleName: 'SUPPORT' });
    await notify(user);
    await notify(user, { description: 'Второе' });
    const query = { userId: user.id, size: 1 };
    const { data, totalPages, unreadCount, user: owner } = await support.call(listUserNotifications, { query });
    expect([data.map((each) => each.description), totalPages, unreadCount]).toEqual([['Второе'], 2, 2]);
    expect(owner).toEqual({ id: user.id, email: user.email });
    expect(await user.call(listNotifications, { query: { size: 1 } })).toEqual({ data, totalPages, unreadCount });
  });

  test('require the permission of each call, and an existing user', async () => {
    const [support, finance] = [
      await createUser(testApp, { roleName: 'SUPPORT' }),
      await createUser(testApp, { roleName: 'FINANCE' }),
    ];
    const query = { userId: admin.id };
    const forbidden = { status: 403, code: 'FORBIDDEN' };
    await expect(finance.call(listUserNotifications, { query })).rejects.toMatchObject(forbidden);
    await expect(support.call(notifyUser, { body: { userId: admin.id, description } })).rejects.toMatchObject(
      forbidden,
    );
    const missing = { status: 404, message: 'User not found' };
    await expect(support.call(listUserNotifications, { query: { userId: randomUUID() } })).rejects.toMatchObject(
      missing,
    );
    await expect(notify(admin, { userId: randomUUID() })).rejects.toMatchObject(missing);
    await expect(support.call(listUserNotifications, { query: {} as typeof query })).rejects.toMatchObject({
      code: 'VALIDATION',
    });
  });
});
