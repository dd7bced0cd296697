/** @module-tag thorough */
import type { Ctx } from '../../ctx.ts';
import { cancelBroadcast, listBroadcasts, sendBroadcast } from '@cellhop/contract/staff/notifications';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { runJobs } from '../../../test/mail.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { deliverBroadcast } from './broadcast-delivery.service.ts';
import { countRecipients } from './recipients.store.ts';
import { toColumns } from './audience.ts';

const READERS = 2500;

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  await testApp.database.query(
    `with accounts as (insert into accounts (kind) select 'USER' from generate_series(1, $1) returning id)
     insert into users (email, password_hash, language_code, role_name, referral_code, account_id, email_confirmed_at)
     select 'reader' || id || '@example.com', '', 'ru', 'USER', 'READER' || id, id, now() from accounts`,
    [READERS],
  );
});
afterAll(() => testApp.stop());

let id: string;
beforeEach(async () => {
  const texts = { en: { description: 'News' }, ru: { description: 'Новости' } };
  id = (await admin.call(sendBroadcast, { body: { texts, audience: { languageCode: 'ru' } } })).data.id;
});

/** The number of notifications, and what staff see. */
async function progress() {
  const [row] = await testApp.database.query<{ delivered: number }>(
    'select count(*)::int as delivered from notifications where broadcast_id = $1',
    [id],
  );
  const { data } = await admin.call(listBroadcasts, { query: {} });
  const { readerCount, recipientCount, sentAt } = data.find((each) => each.id === id)!;
  return { ...row!, readerCount, recipientCount, isSent: sentAt !== null };
}

const done = { delivered: READERS, readerCount: READERS, recipientCount: READERS, isSent: true };

/** The database process that waits to write the second batch. */
async function untilDeliveryWaits(): Promise<number> {
  for (;;) {
    const [row] = await testApp.database.query<{ pid: number }>(
      `select pid from pg_stat_activity
        where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
    );
    if (row) return row.pid;
  }
}

describe('an interrupted broadcast', () => {
  test('in the middle of a batch keeps the earlier batches, continues after them, and reaches nobody twice', async () => {
    const [blocked] = await testApp.database.query<{ userId: string }>(
      `select id as "userId" from users where language_code = 'ru' order by id offset 1500 limit 1`,
    );
    const cutOff = testApp.ctx.tx(async ({ db }) => {
      // The second batch waits for this row, which is never committed.
      await db.query(
        `insert into notifications (user_id, idempotency_key, kind, details, broadcast_id)
         values ($1, 'broadcast:' || $2::text, 'BROADCAST', '{}', $2::uuid)`,
        [blocked!.userId, id],
      );
      const delivery = deliverBroadcast(testApp.ctx, { broadcastId: id }).then(
        () => 'finished',
        () => 'failed',
      );
      await testApp.database.query('select pg_terminate_backend($1)', [await untilDeliveryWaits()]);
      expect(await delivery).toBe('failed');
      throw new Error('rolled back');
    });
    await expect(cutOff).rejects.toThrow('rolled back');
    expect(await progress()).toEqual({ delivered: 1000, readerCount: 1000, recipientCount: READERS, isSent: false });
    await runJobs(testApp);
    expect(await progress()).toEqual(done);
  });

  test('after its last batch only stores the time of completion', async () => {
    await deliverBroadcast(testApp.ctx, { broadcastId: id });
    await testApp.database.query('update broadcasts set sent_at = null where id = $1', [id]);
    await runJobs(testApp);
    expect(await progress()).toEqual(done);
  });

  test('that runs twice at the same time reaches nobody twice', async () => {
    await Promise.all([
      deliverBroadcast(testApp.ctx, { broadcastId: id }),
      deliverBroadcast(testApp.ctx, { broadcastId: id }),
    ]);
    expect(await progress()).toEqual(done);
  });
});

/** Does something after the first batch was delivered. */
const afterFirstBatch = (act: () => Promise<unknown>): Ctx => {
  let batches = 0;
  return {
    ...testApp.ctx,
    tx: async (work, options) => {
      if (++batches === 2) await act();
      return testApp.ctx.tx(work, options);
    },
  };
};

test('a broadcast that is cancelled while it is delivered reaches nobody else', async () => {
  const cancel = () => admin.call(cancelBroadcast, { params: { id } });
  await deliverBroadcast(afterFirstBatch(cancel), { broadcastId: id });
  expect(await progress()).toMatchObject({ delivered: 1000, isSent: false });
  await runJobs(testApp);
  expect(await progress()).toMatchObject({ delivered: 1000, isSent: false });
});

test('a broadcast whose author is blocked while it is delivered reaches nobody else', async () => {
  const author = await createUser(testApp, { roleName: 'ADMIN' });
  await testApp.database.query('update broadcasts set created_by = $2 where id = $1', [id, author.id]);
  const block = () => testApp.database.query(`update users set status = 'BLOCKED' where id = $1`, [author.id]);
  await deliverBroadcast(afterFirstBatch(block), { broadcastId: id });
  expect(await progress()).toMatchObject({ delivered: 1000, isSent: false });
  const { data } = await admin.call(listBroadcasts, { query: {} });
  expect(data[0]!.cancelled).toMatchObject({ by: null });
});

test('recipients are counted up to a limit', async () => {
  const everyone = toColumns({});
  expect(await countRecipients(testApp.ctx, everyone, 100)).toBe(100);
  expect(await countRecipients(testApp.ctx, everyone, 10_000)).toBe(READERS + 1);
});
