import { connect } from '@cellhop/contract/connections';
import { listNotifications } from '@cellhop/contract/notifications';
import { type Audience, countRecipients, listBroadcasts, sendBroadcast } from '@cellhop/contract/staff/notifications';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProxy, createUser, topUp, type TestUser } from '../../../test/factories.ts';
import { openStream } from '../../../test/live.ts';
import { runJobs } from '../../../test/mail.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { deliverBroadcast } from './broadcast-delivery.service.ts';

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(() => testApp.stop());

const texts = {
  en: { description: '<b>News</b><script>alert(1)</script>', content: '<a href="https://a.example">more</a>' },
  ru: { description: 'Новости <img src=x onerror=alert(1)>' },
};
const send = (body: object, headers: Record<string, string> = {}) =>
  admin.call(sendBroadcast, { body: { texts, ...body } }, { headers });
const list = async (user: TestUser) => (await user.call(listNotifications, { query: {} })).data;
/** The users who have received it. */
const readersOf = async (id: string, users: readonly TestUser[]) => {
  const rows = await testApp.database.query<{ userId: string }>(
    'select user_id as "userId" from notifications where broadcast_id = $1',
    [id],
  );
  return users.map((user) => rows.some(({ userId }) => userId === user.id));
};
const broadcastOf = async (id: string) =>
  (await admin.call(listBroadcasts, { query: {} })).data.find((each) => each.id === id);

describe('a broadcast', () => {
  test('reaches every confirmed user once, with their open pages, in their language, sanitized', async () => {
    const [english, russian] = [await createUser(testApp), await createUser(testApp, { languageCode: 'ru' })];
    const [unconfirmed, blocked] = [await createUser(testApp), await createUser(testApp)];
    await testApp.database.query('update users set email_confirmed_at = null where id = $1', [unconfirmed.id]);
    await testApp.database.query(`update users set status = 'BLOCKED' where id = $1`, [blocked.id]);
    const stream = await openStream(testApp.url, english);
    const { data: sent } = await send({});
    expect(sent).toMatchObject({ audience: {}, readerCount: 0, sentAt: null, createdBy: { id: admin.id } });
    await runJobs(testApp);
    await stream.saw('changed notifications');
    stream.close();
    await deliverBroadcast(testApp.ctx, { broadcastId: sent.id });
    const content = '<a href="https://a.example" target="_blank" rel="noopener noreferrer">more</a>';
    expect(await list(english)).toMatchObject([{ description: '<b>News</b>', content }]);
    expect(await list(russian)).toMatchObject([{ description: 'Новости ', content: null }]);
    expect(await readersOf(sent.id, [english, russian, unconfirmed, blocked])).toEqual([true, true, false, false]);
    expect(await broadcastOf(sent.id)).toMatchObject({
      texts: { en: { description: '<b>News</b>', content }, ru: { description: 'Новости ' } },
      // Fewer than ten users exist yet.
      isForFew: true,
      readerCount: 0,
      sentAt: expect.any(String),
    });
  });

  test('is only delivered to users who match the whole filter', async () => {
    const [english, russian, connected, old] = [
      await createUser(testApp),
      await createUser(testApp, { languageCode: 'ru' }),
      await createUser(testApp, { languageCode: 'ru', balanceMicros: 10_000_000n }),
      await createUser(testApp),
    ];
    const users = [english, russian, connected, old];
    await connected.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } });
    await topUp(testApp, english.accountId, 2_000_000n);
    await testApp.database.query(`update users set role_name = 'SUPPORT' where id = $1`, [russian.id]);
    await testApp.database.query(`update users set created_at = now() - interval '400 days' where id = $1`, [old.id]);
    const aYearAgo = new Date(Date.now() - 365 * 86_400_000).toISOString();
    for (const [audience, expected] of [
      [{ languageCode: 'ru' }, [false, true, true, false]],
      [{ roleName: 'SUPPORT' }, [false, true, false, false]],
      [{ roleName: 'UNKNOWN' }, [false, false, false, false]],
      [{ balanceFrom: 2 }, [true, false, true, false]],
      [{ balanceFrom: 2, balanceBelow: 2.000001 }, [true, false, false, false]],
      [{ balanceBelow: 2 }, [false, true, false, true]],
      [{ hasOpenConnection: true }, [false, false, true, false]],
      [{ hasOpenConnection: false }, [true, true, false, true]],
      [{ registeredBefore: aYearAgo }, [false, false, false, true]],
      [{ registeredFrom: aYearAgo }, [true, true, true, false]],
      [{ userIds: [english.id, russian.id, russian.id] }, [true, true, false, false]],
      [{ userIds: [english.id, russian.id], languageCode: 'ru' }, [false, true, false, false]],
    ] as const) {
      const { data: counted } = await admin.call(countRecipients, { body: { audience: audience as Audience } });
      const { data } = await send({ audience });
      await runJobs(testApp);
      expect([data.isForFew, data.recipientCount]).toEqual([counted.isFew, counted.isFew ? null : counted.count]);
      expect((await broadcastOf(data.id))?.readerCount).toBe(counted.isFew ? 0 : counted.count);
      expect({ audience, readers: await readersOf(data.id, users) }).toEqual({ audience, readers: expected });
      const { userIds, ...rest } = audience as { userIds?: readonly string[] };
      expect((await broadcastOf(data.id))?.audience).toEqual({
        ...rest,
        ...(userIds && { userIds: [english.id, russian.id] }),
      });
    }
  });

  test('reaches blocked or unconfirmed users if the filter says so, and deleted users never', async () => {
    const [active, blocked, unconfirmed, deleted] = [
      await createUser(testApp),
      await createUser(testApp),
      await createUser(testApp),
      await createUser(testApp),
    ];
    const users = [active, blocked, unconfirmed, deleted];
    await testApp.database.query(`update users set status = 'BLOCKED' where id = $1`, [blocked.id]);
    await testApp.database.query('update users set email_confirmed_at = null where id = $1', [unconfirmed.id]);
    await testApp.database.query(`update users set status = 'DELETED' where id = $1`, [deleted.id]);
    const userIds = users.map(({ id }) => id);
    for (const [filter, expected] of [
      [{}, [true, false, false, false]],
      [{ status: 'BLOCKED' }, [false, true, false, false]],
      [{ isConfirmed: false }, [false, false, true, false]],
      [{ isConfirmed: true, status: 'ACTIVE' }, [true, false, false, false]],
    ] as const) {
      const { data } = await send({ audience: { ...filter, userIds } });
      await runJobs(testApp);
      expect({ filter, readers: await readersOf(data.id, users) }).toEqual({ filter, readers: expected });
      expect(data).toMatchObject({ isForFew: true, recipientCount: null });
    }
  });

  test('is delivered in batches, and a repeated job counts nobody twice', async () => {
    await testApp.database.query(
      `with accounts as (insert into accounts (kind) select 'USER' from generate_series(1, 2500) returning id)
       insert into users (email, password_hash, language_code, role_name, referral_code, account_id, email_confirmed_at)
       select 'reader' || id || '@example.com', '', 'en', 'USER', 'READER' || id, id, now() from accounts`,
    );
    const { data } = await send({});
    await runJobs(testApp);
    await deliverBroadcast(testApp.ctx, { broadcastId: data.id });
    const [row] = await testApp.database.query<{ count: number }>(
      `select count(*)::int as count from users where status = 'ACTIVE' and email_confirmed_at is not null`,
    );
    expect(row!.count).toBeGreaterThan(2500);
    expect((await broadcastOf(data.id))?.readerCount).toBe(row!.count);
  });

  test('is sent once for its idempotency key, and recorded in the audit log', async () => {
    const user = await createUser(testApp);
    const audience = { userIds: [user.id] };
    const key = { 'idempotency-key': randomUUID() };
    const sent = await Promise.all([send({ audience }, key), send({ audience }, key), send({ audience }, key)]);
    const [id] = new Set(sent.map(({ data }) => data.id));
    expect(sent.every(({ data }) => data.id === id)).toBe(true);
    await runJobs(testApp);
    expect(await list(user)).toHaveLength(1);
    const reused = { status: 409, code: 'IDEMPOTENCY_KEY_REUSED' };
    await expect(send({}, key)).rejects.toMatchObject(reused);
    await expect(send({ audience, texts: { ...texts, en: texts.ru } }, key)).rejects.toMatchObject(reused);
    const entries = await testApp.database.query(
      `select actor_id as "actorId", details from audit_log where action = 'BROADCAST_SENT' and subject_id = $1`,
      [id],
    );
    const after = {
      en: '<b>News</b>',
      ru: 'Новости ',
      audience: [`userIds: ${user.id}`],
      recipientCount: 1,
    };
    expect(entries).toEqual([{ actorId: admin.id, details: { after } }]);
  });

  test('is listed in pages, newest first', async () => {
    const [older, newer] = [(await send({})).data.id, (await send({})).data.id];
    const { data, totalPages } = await admin.call(listBroadcasts, { query: { size: 2 } });
    expect(data.map(({ id }) => id)).toEqual([newer, older]);
    expect(totalPages).toBeGreaterThan(1);
    expect(data[0]!.createdBy).toEqual({ id: admin.id, email: admin.email });
  });

  test.each([
    [{ texts: { en: texts.en } }, 'body.texts.ru'],
    [{ texts: { ...texts, en: { description: ' ' } } }, 'body.texts.en.description'],
    [{ texts: { ...texts, en: { description: '<script>1</script><br>' } } }, 'body.texts.en.description'],
    [{ texts: { ...texts, ru: { description: 'x', content: '<img>' } } }, 'body.texts.ru.content'],
    [{ audience: { languageCode: 'de' } }, 'body.audience.languageCode'],
    [{ audience: { userIds: [] } }, 'body.audience.userIds'],
    [{ audience: { registeredFrom: 'yesterday' } }, 'body.audience.registeredFrom'],
    [{ audience: { everybody: true } }, 'body.audience.everybody'],
    [{ audience: { status: 'DELETED' } }, 'body.audience.status'],
    [{ audience: { balanceFrom: -1 } }, 'body.audience.balanceFrom'],
    [{ audience: { balanceBelow: 1_000_001 } }, 'body.audience.balanceBelow'],
  ])('of %j is refused', async (body, path) => {
    await expect(send(body)).rejects.toMatchObject({
      code: 'VALIDATION',
      body: { details: [expect.objectContaining({ path })] },
    });
  });

  test('that is too long or has too many recipients is refused', async () => {
    const tooMany = Array.from({ length: 201 }, () => randomUUID());
    for (const body of [
      { texts: { ...texts, ru: { description: 'x'.repeat(1001) } } },
      { texts: { ...texts, ru: { description: 'x', content: 'x'.repeat(5001) } } },
      { audience: { userIds: tooMany } },
    ])
      await expect(send(body)).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  test('to an unknown user is refused', async () => {
    await expect(send({ audience: { userIds: [admin.id, randomUUID()] } })).rejects.toMatchObject({
      status: 404,
      message: 'User not found',
    });
  });

  test('is forbidden for support staff', async () => {
    const support = await createUser(testApp, { roleName: 'SUPPORT' });
    for (const call of [
      () => support.call(listBroadcasts, { query: {} }),
      () => support.call(sendBroadcast, { body: { texts } }),
      () => support.call(countRecipients, { body: { audience: {} } }),
    ])
      await expect(call()).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });
});

const count = async (staff: TestUser, audience: Audience) =>
  (await staff.call(countRecipients, { body: { audience } })).data;

describe('the number of recipients', () => {
  test('does not say whether a single user matches, and each count is recorded', async () => {
    const user = await createUser(testApp, { balanceMicros: 2_000_000n });
    const [matching, other] = [{ balanceFrom: 1 }, { balanceFrom: 3 }];
    for (const audience of [matching, other])
      expect(await count(admin, { ...audience, userIds: [user.id] })).toEqual({ count: 9, isFew: true });
    const entries = await testApp.database.query(
      `select actor_id as "actorId", details from audit_log
        where action = 'RECIPIENTS_COUNTED' and details::text like $1 order by id`,
      [`%${user.id}%`],
    );
    expect(entries).toEqual(
      [1, 3].map((balance) => ({
        actorId: admin.id,
        details: { audience: [`balanceFrom: ${balance}`, `userIds: ${user.id}`] },
      })),
    );
  });

  test('is told from ten on', async () => {
    const users = await Promise.all(Array.from({ length: 10 }, () => createUser(testApp)));
    const userIds = users.map(({ id }) => id);
    expect(await count(admin, { userIds })).toEqual({ count: 10, isFew: false });
    expect(await count(admin, { userIds: userIds.slice(1) })).toEqual({ count: 9, isFew: true });
    const { data } = await send({ audience: { userIds } });
    await runJobs(testApp);
    expect(await broadcastOf(data.id)).toMatchObject({ isForFew: false, recipientCount: 10, readerCount: 10 });
  });

  test('needs the permission to read what the filter names, and so does sending', async () => {
    await testApp.database.query(
      `insert into roles (name, permissions)
       values ('MAILERS', '{MASS_NOTIFICATIONS_READ,MASS_NOTIFICATIONS_WRITE}'),
              ('READERS', '{MASS_NOTIFICATIONS_READ,MASS_NOTIFICATIONS_WRITE,USERS_READ}')`,
    );
    const [mailer, reader] = [
      await createUser(testApp, { roleName: 'MAILERS' }),
      await createUser(testApp, { roleName: 'READERS' }),
    ];
    const day = '2026-01-01T00:00:00Z';
    const filters: Required<Audience> = {
      status: 'BLOCKED',
      isConfirmed: false,
      languageCode: 'ru',
      roleName: 'ADMIN',
      balanceFrom: 1,
      balanceBelow: 5,
      userIds: [mailer.id],
      hasOpenConnection: true,
      registeredFrom: day,
      registeredBefore: day,
    };
    for (const [name, value] of Object.entries(filters)) {
      const audience = { [name]: value } as Audience;
      const permission = name === 'hasOpenConnection' ? 'CONNECTIONS_READ' : 'USERS_READ';
      const refusal = { status: 403, message: `You do not have the permission ${permission}` };
      await expect(count(mailer, audience)).rejects.toMatchObject(refusal);
      await expect(mailer.call(sendBroadcast, { body: { texts, audience } })).rejects.toMatchObject(refusal);
    }
    const { hasOpenConnection, ...ofUsers } = filters;
    await expect(count(reader, { hasOpenConnection })).rejects.toMatchObject({ code: 'PERMISSION_LACKING' });
    expect(await count(reader, ofUsers)).toHaveProperty('count');
    expect(await count(mailer, {})).toHaveProperty('count');
  });
});
