/** @module-tag thorough */
import { saveAlertSettings } from '@cellhop/contract/alerts';
import { recoverPassword } from '@cellhop/contract/auth';
import { SCHEDULED_BROADCASTS_MAX, TEST_BROADCASTS_PER_HOUR } from '@cellhop/contract/limits';
import { listNotifications } from '@cellhop/contract/notifications';
import { cancelBroadcast, listBroadcasts, sendBroadcast, testBroadcast } from '@cellhop/contract/staff/notifications';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { mailsTo, runJobs, startTestAppWithMail } from '../../../test/mail.ts';
import type { TestApp } from '../../../test/test-app.ts';
import { unsubscribeLink } from '../../mail/unsubscribe-link.ts';
import { deliverBroadcast, mailBroadcasts } from './broadcast-delivery.service.ts';

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestAppWithMail({ newsMailsPerMinute: 2 });
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(() => testApp.stop());

const texts = { en: { description: '<b>News</b>' }, ru: { description: 'Новости' } };
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const send = async (body: object, headers: Record<string, string> = {}) =>
  (await admin.call(sendBroadcast, { body: { texts, ...body } }, { headers })).data;
const cancel = async (id: string, by = admin) => (await by.call(cancelBroadcast, { params: { id } })).data;
const list = async (user: TestUser) =>
  (await user.call(listNotifications, { query: {} })).data.map(({ description }) => description);
const broadcastOf = async (id: string) =>
  (await admin.call(listBroadcasts, { query: {} })).data.find((each) => each.id === id)!;
const actionsOf = async (id: string) =>
  (
    await testApp.database.query<{ action: string }>(
      'select action from audit_log where subject_type = $1 and subject_id = $2 order by id',
      ['BROADCAST', id],
    )
  ).map(({ action }) => action);

/** The time of the scheduled job has come. */
const pass = (id: string) =>
  testApp.database.query(
    `update graphile_worker._private_jobs set run_at = now() - interval '1 second' where payload->>'broadcastId' = $1`,
    [id],
  );

describe('a scheduled broadcast', () => {
  let reader: TestUser;
  let scheduled: Awaited<ReturnType<typeof send>>;
  beforeEach(async () => {
    reader = await createUser(testApp);
    scheduled = await send({ audience: { userIds: [reader.id] }, scheduledAt: inHours(5) });
  });

  test('waits for its time, and is then sent once by two workers and after a restart', async () => {
    const { id } = scheduled;
    expect(scheduled).toMatchObject({ isWaiting: true, canCancel: true, cancelled: null, sentAt: null });
    await runJobs(testApp);
    expect(await list(reader)).toEqual([]);
    await pass(id);
    await Promise.all([runJobs(testApp), runJobs(testApp)]);
    // The job of a worker that died after its last batch.
    await deliverBroadcast(testApp.ctx, { broadcastId: id });
    expect(await list(reader)).toEqual(['<b>News</b>']);
    expect(await broadcastOf(id)).toMatchObject({ isWaiting: false, sentAt: expect.any(String) });
    expect(await actionsOf(id)).toEqual(['BROADCAST_SCHEDULED']);
    await expect(cancel(id)).rejects.toMatchObject({ status: 409, code: 'CHANGED_ELSEWHERE' });
  });

  test('that was interrupted continues, or is cancelled', async () => {
    const interrupted = async () => {
      const { id } = await send({ audience: { userIds: [reader.id] }, scheduledAt: inHours(5) });
      await testApp.database.query('update broadcasts set started_at = now() where id = $1', [id]);
      return id;
    };
    const [continued, cancelled] = [await interrupted(), await interrupted()];
    expect(await cancel(cancelled)).toMatchObject({ canCancel: false, cancelled: { by: { id: admin.id } } });
    for (const broadcastId of [continued, cancelled]) await deliverBroadcast(testApp.ctx, { broadcastId });
    expect(await list(reader)).toEqual(['<b>News</b>']);
  });

  test('is cancelled once, and reaches nobody, even if a worker has its job already', async () => {
    const { id } = scheduled;
    const cancelled = await Promise.all([cancel(id), cancel(id)]);
    expect(cancelled[0]).toMatchObject({ isWaiting: false, cancelled: { by: { id: admin.id } } });
    expect(cancelled[1]).toEqual(cancelled[0]);
    expect(await actionsOf(id)).toEqual(['BROADCAST_SCHEDULED', 'BROADCAST_CANCELLED']);
    await pass(id);
    await runJobs(testApp);
    await deliverBroadcast(testApp.ctx, { broadcastId: id });
    expect(await list(reader)).toEqual([]);
    expect((await broadcastOf(id)).sentAt).toBeNull();
  });

  test('is either cancelled or sent', async () => {
    const { id } = scheduled;
    const [ended] = await Promise.allSettled([cancel(id), deliverBroadcast(testApp.ctx, { broadcastId: id })]);
    expect(await list(reader)).toHaveLength(ended.status === 'fulfilled' ? 0 : 1);
  });

  test('of an author who may no longer send is cancelled by the program', async () => {
    const author = await createUser(testApp, { roleName: 'ADMIN' });
    const body = { texts, audience: { userIds: [reader.id] }, scheduledAt: inHours(1), isMailed: false };
    const { id } = (await author.call(sendBroadcast, { body })).data;
    await testApp.database.query(`update users set role_name = 'SUPPORT' where id = $1`, [author.id]);
    await pass(id);
    await runJobs(testApp);
    expect(await list(reader)).toEqual([]);
    expect((await broadcastOf(id)).cancelled).toEqual({ at: expect.any(String), by: null });
    expect(await actionsOf(id)).toEqual(['BROADCAST_SCHEDULED', 'BROADCAST_CANCELLED']);
  });

  test('is repeated by its key without another one, also with another time', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const scheduledAt = inHours(2);
    const { id } = await send({ scheduledAt }, key);
    expect((await send({ scheduledAt }, key)).id).toBe(id);
    for (const other of [{ scheduledAt: inHours(3) }, { scheduledAt, isMailed: true }, {}])
      await expect(send(other, key)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('is cancelled by those who may send alone', async () => {
    const support = await createUser(testApp, { roleName: 'SUPPORT' });
    await expect(cancel(scheduled.id, support)).rejects.toMatchObject({ status: 403 });
    await expect(cancel(randomUUID())).rejects.toMatchObject({ status: 404, message: 'Broadcast not found' });
    const { id } = await send({ audience: { userIds: [reader.id] } });
    await runJobs(testApp);
    await expect(cancel(id)).rejects.toMatchObject({ code: 'CHANGED_ELSEWHERE' });
  });

  test('has a time in the next 90 days, and only so many wait', async () => {
    for (const scheduledAt of [inHours(-1), inHours(24 * 91), 'soon'])
      await expect(send({ scheduledAt })).rejects.toMatchObject({
        code: 'VALIDATION',
        body: { details: [expect.objectContaining({ path: 'body.scheduledAt' })] },
      });
    await testApp.database.query(
      `insert into broadcasts (texts, scheduled_at) select '{}', now() + interval '1 day' from generate_series(1, $1)`,
      [SCHEDULED_BROADCASTS_MAX],
    );
    await expect(send({ scheduledAt: inHours(1) })).rejects.toMatchObject({ code: 'VALIDATION' });
    await testApp.database.query(`delete from broadcasts where texts = '{}'`);
  });
});

test('a broadcast to one language needs its text alone, which others would see, too', async () => {
  const reader = await createUser(testApp, { languageCode: 'ru' });
  const audience = { userIds: [reader.id], languageCode: 'ru' };
  await expect(send({ texts: { en: texts.en }, audience })).rejects.toMatchObject({
    code: 'VALIDATION',
    body: { details: [expect.objectContaining({ path: 'body.texts.ru' })] },
  });
  await send({ texts: { ru: texts.ru }, audience });
  await runJobs(testApp);
  expect(await list(reader)).toEqual(['Новости']);
  await testApp.database.query(`update users set language_code = 'en' where id = $1`, [reader.id]);
  expect(await list(reader)).toEqual(['Новости']);
});

describe('a test', () => {
  test('reaches its author alone, in each language, and by email if they want', async () => {
    const author = await createUser(testApp, { roleName: 'ADMIN' });
    const unsafe = { ...texts, en: { description: '<b>News</b><script>1</script>' } };
    await author.call(testBroadcast, { body: { texts: unsafe } });
    expect((await list(author)).toSorted()).toEqual(['<b>News</b>', 'Новости']);
    expect(await mailsTo(testApp, author.email)).toEqual([]);
    const { data } = await author.call(testBroadcast, { body: { texts: { ru: texts.ru }, isMailed: true } });
    expect(data).toEqual({ count: 1 });
    expect((await mailsTo(testApp, author.email)).map(({ subject }) => subject)).toEqual(['Новости']);
    const [row] = await testApp.database.query<{ count: number }>(
      `select count(distinct user_id)::int as count from notifications where idempotency_key like 'broadcast-test:%'`,
    );
    expect(row!.count).toBe(1);
  });

  test('has a limit per hour and author, also for concurrent ones', async () => {
    const author = await createUser(testApp, { roleName: 'ADMIN' });
    const tests = await Promise.allSettled(
      Array.from({ length: TEST_BROADCASTS_PER_HOUR + 3 }, () =>
        author.call(testBroadcast, { body: { texts: { en: texts.en } } }),
      ),
    );
    expect(tests.filter(({ status }) => status === 'fulfilled')).toHaveLength(TEST_BROADCASTS_PER_HOUR);
    await expect(author.call(testBroadcast, { body: { texts } })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(await list(author)).toHaveLength(TEST_BROADCASTS_PER_HOUR);
    await admin.call(testBroadcast, { body: { texts } });
  });

  test('needs a text and the permission to send', async () => {
    await expect(admin.call(testBroadcast, { body: { texts: {} } })).rejects.toMatchObject({ code: 'VALIDATION' });
    const support = await createUser(testApp, { roleName: 'SUPPORT' });
    await expect(support.call(testBroadcast, { body: { texts } })).rejects.toMatchObject({ status: 403 });
  });
});

/** A delivered one, whose mails are not queued yet. */
const deliver = async (reader: TestUser) => {
  const { id } = await send({ audience: { userIds: [reader.id] }, isMailed: true });
  await runJobs(testApp);
  return id;
};
/** The oldest broadcast is mailed first. */
const endOtherMails = () =>
  testApp.database.query('update broadcasts set mails_ended_at = now() where mails_ended_at is null');
const newsJobs = () =>
  testApp.database.query(`select from graphile_worker.jobs where task_identifier = 'mail.deliver-news'`);

const subjects = async (user: TestUser) => (await mailsTo(testApp, user.email)).map(({ subject }) => subject);

describe('mails of a broadcast', () => {
  const endMails = { noMoney: true, idle: true, exitLost: true };

  test('go to readers who want them, so many a minute for all workers together, each once', async () => {
    const readers: TestUser[] = [];
    for (const languageCode of ['en', 'ru', 'en', 'en', 'en'] as const)
      readers.push(await createUser(testApp, { languageCode }));
    readers.sort((one, other) => (one.id < other.id ? -1 : 1));
    const [declined, blocked] = [readers[1]!, readers[3]!];
    const body = { lowBalance: null, isMailed: true, endMails, isNewsMailed: false };
    await declined.call(saveAlertSettings, { body });
    const { id } = await send({ audience: { userIds: readers.map((reader) => reader.id) }, isMailed: true });
    await mailBroadcasts(testApp.ctx);
    expect((await broadcastOf(id)).isMailed).toBe(true);
    const counts: number[] = [];
    await runJobs(testApp);
    await testApp.database.query(`update users set status = 'BLOCKED' where id = $1`, [blocked.id]);
    for (let minute = 0; minute < 5; minute += 1) {
      await mailBroadcasts(testApp.ctx);
      const [row] = await testApp.database.query<{ count: number }>(
        'select mail_count as count from broadcasts where id = $1',
        [id],
      );
      counts.push(row!.count);
    }
    // Of two, then one, then one readers; the counter ends.
    expect(counts).toEqual([1, 2, 3, 3, 3]);
    for (const reader of readers) {
      const expected = reader === declined || reader === blocked ? [] : [1];
      expect((await subjects(reader)).map(() => 1)).toEqual(expected);
    }
    await testApp.database.query(`update users set status = 'ACTIVE' where id = $1`, [blocked.id]);
  });

  test('are queued by one of two workers', async () => {
    const reader = await createUser(testApp);
    await send({ audience: { userIds: [reader.id] }, isMailed: true });
    await runJobs(testApp);
    await Promise.all([mailBroadcasts(testApp.ctx), mailBroadcasts(testApp.ctx)]);
    await mailBroadcasts(testApp.ctx);
    const [mail, ...others] = await mailsTo(testApp, reader.email);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ subject: 'News' });
    expect(mail!.text).toContain(unsubscribeLink(testApp.ctx.config, reader.id));
  });

  test('are sent after all other mails, also after those that were queued later', async () => {
    const reader = await createUser(testApp);
    await deliver(reader);
    await mailBroadcasts(testApp.ctx);
    await testApp.call(recoverPassword, { body: { email: reader.email } });
    expect(await subjects(reader)).toEqual(['News', expect.stringContaining('password')]);
  });

  test('are not queued while the mail server has not taken those of the last ten minutes', async () => {
    const id = await deliver(await createUser(testApp));
    await testApp.database.query(
      `select graphile_worker.add_job('mail.deliver-news', '{}') from generate_series(1, 20)`,
    );
    await mailBroadcasts(testApp.ctx);
    expect(await newsJobs()).toHaveLength(20);
    await testApp.database.query(
      `select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs limit 1))`,
    );
    await mailBroadcasts(testApp.ctx);
    expect(await newsJobs()).toHaveLength(20);
    expect((await broadcastOf(id)).sentAt).not.toBeNull();
    await testApp.database.query('delete from graphile_worker._private_jobs');
  });

  test('stop when the broadcast is cancelled, those that are queued too', async () => {
    await endOtherMails();
    const readers = await Promise.all(Array.from({ length: 4 }, () => createUser(testApp)));
    const { id } = await send({ audience: { userIds: readers.map((reader) => reader.id) }, isMailed: true });
    await runJobs(testApp);
    await mailBroadcasts(testApp.ctx);
    expect(await broadcastOf(id)).toMatchObject({ canCancel: true, cancelled: null });
    expect(await newsJobs()).toHaveLength(2);
    expect((await cancel(id)).cancelled).toMatchObject({ by: { id: admin.id } });
    await mailBroadcasts(testApp.ctx);
    for (const reader of readers) expect(await subjects(reader)).toEqual([]);
    await cancel(id);
    expect(await actionsOf(id)).toEqual(['BROADCAST_SENT', 'BROADCAST_CANCELLED']);
  });

  test('stop when the author is blocked, and do not go on when they are unblocked', async () => {
    await endOtherMails();
    const author = await createUser(testApp, { roleName: 'ADMIN' });
    const readers = await Promise.all(Array.from({ length: 4 }, () => createUser(testApp)));
    const body = { texts, audience: { userIds: readers.map((reader) => reader.id) }, isMailed: true };
    const { id } = (await author.call(sendBroadcast, { body })).data;
    await runJobs(testApp);
    await mailBroadcasts(testApp.ctx);
    await runJobs(testApp);
    const setStatus = (status: string) =>
      testApp.database.query('update users set status = $2 where id = $1', [author.id, status]);
    await setStatus('BLOCKED');
    await mailBroadcasts(testApp.ctx);
    await setStatus('ACTIVE');
    await mailBroadcasts(testApp.ctx);
    const sent = await Promise.all(readers.map(async (reader) => (await subjects(reader)).length));
    expect(sent.filter((count) => count === 1)).toHaveLength(2);
    expect((await broadcastOf(id)).cancelled).toEqual({ at: expect.any(String), by: null });
  });

  test('are not sent for other broadcasts, nor for cancelled ones', async () => {
    const reader = await createUser(testApp);
    const audience = { userIds: [reader.id] };
    await send({ audience });
    const { id } = await send({ audience, isMailed: true, scheduledAt: inHours(1) });
    await cancel(id);
    await runJobs(testApp);
    await mailBroadcasts(testApp.ctx);
    expect(await subjects(reader)).toEqual([]);
  });
});
