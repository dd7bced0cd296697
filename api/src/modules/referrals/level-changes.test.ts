/** @module-tag thorough */
import { listNotifications } from '@cellhop/contract/notifications';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { newInvoice } from '../../../test/sandbox-payments.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { findUnprocessedMonth, listPayments } from './levels.store.ts';
import { notifyLevelChanges } from './levels.service.ts';

const THIS_MONTH = `date_trunc('month', now(), 'UTC')`;
const LAST_MONTH = `date_trunc('month', now(), 'UTC') - interval '1 second'`;
const MONTH_BEFORE = `(date_trunc('month', now() at time zone 'UTC') - interval '1 month') at time zone 'UTC' - interval '1 second'`;

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

async function referrerWith(counts: { before: number; last: number; present: number }): Promise<TestUser> {
  const referrer = await createUser(testApp);
  const payer = await createUser(testApp, { referrerId: referrer.id });
  const times = [
    ...Array<string>(counts.before).fill(MONTH_BEFORE),
    ...Array<string>(counts.last).fill(LAST_MONTH),
    ...Array<string>(counts.present).fill(THIS_MONTH),
  ];
  for (const time of times) {
    const { id } = await newInvoice(payer);
    await testApp.database.query(
      `insert into referral_payments (invoice_id, referrer_id, paid_at) values ($1, $2, ${time})`,
      [id, referrer.id],
    );
  }
  return referrer;
}

const notificationsOf = async (user: TestUser) =>
  (await user.call(listNotifications, { query: {} })).data.map(({ description, content }) => [description, content]);
const beginMonth = () => testApp.database.query('delete from referral_month_turns');

test('at the start of a month users whose level changes are notified once', async () => {
  const risen = await referrerWith({ before: 0, last: 6, present: 9 });
  const fallen = await referrerWith({ before: 1, last: 0, present: 3 });
  const same = await referrerWith({ before: 1, last: 5, present: 0 });
  const newcomer = await referrerWith({ before: 0, last: 0, present: 5 });
  await beginMonth();
  await Promise.all([notifyLevelChanges(testApp.ctx), notifyLevelChanges(testApp.ctx)]);
  await beginMonth();
  await notifyLevelChanges(testApp.ctx);
  expect(await notificationsOf(risen)).toEqual([
    [
      'Your <a href="/referral-system">referral level</a> is now <b>Gold</b>.',
      'Well done! This month you get 15% of each referral top-up.',
    ],
  ]);
  expect(await notificationsOf(fallen)).toEqual([
    [
      'Your <a href="/referral-system">referral level</a> is now <b>Basic</b>.',
      'There is no bonus this month. One referral top-up brings it back next month.',
    ],
  ]);
  expect([await notificationsOf(same), await notificationsOf(newcomer)]).toEqual([[], []]);
});

test('within a month nothing happens', async () => {
  await notifyLevelChanges(testApp.ctx);
  const risen = await referrerWith({ before: 0, last: 1, present: 0 });
  await notifyLevelChanges(testApp.ctx);
  expect(await notificationsOf(risen)).toEqual([]);
});

test('waits a minute for payments that started before midnight', async () => {
  // Replaces the database's clock.
  await testApp.database.query('create schema clock');
  await testApp.database.query(
    `create function clock.now() returns timestamptz stable return current_setting('clock.now')::timestamptz`,
  );
  const monthAt = (moment: string) =>
    testApp.ctx.tx(async (ctx) => {
      await ctx.db.query(`select set_config('search_path', 'clock, public, pg_catalog', true)`);
      await ctx.db.query(`select set_config('clock.now', $1, true)`, [moment]);
      return findUnprocessedMonth(ctx);
    });
  await testApp.database.query(`insert into referral_month_turns (month) values ('2025-02-01')`);
  expect(await monthAt('2025-02-28T23:59:59Z')).toBeUndefined();
  expect(await monthAt('2025-03-01T00:00:59.999Z')).toBeUndefined();
  expect(await monthAt('2025-03-01T00:01:00Z')).toBe('2025-03-01');
  expect(await monthAt('2025-04-15T12:00:00Z')).toBe('2025-04-01');
});

test('months start at midnight UTC, to the microsecond, in any time zone of the database', async () => {
  const referrer = await createUser(testApp);
  const payer = await createUser(testApp, { referrerId: referrer.id });
  for (const paidAt of [
    '2024-12-31T23:59:59.999999Z', // Neither.
    '2025-01-01T00:00:00Z', // January: the month before the last one.
    '2025-01-31T23:59:59.999999Z',
    '2025-02-01T00:00:00Z', // February: the last one.
    '2025-02-28T12:00:00Z',
    '2025-02-28T23:59:59.999999Z',
    '2025-03-01T00:00:00Z', // March has started.
  ]) {
    const { id } = await newInvoice(payer);
    await testApp.database.query(
      'insert into referral_payments (invoice_id, referrer_id, paid_at) values ($1, $2, $3::timestamptz)',
      [id, referrer.id, paidAt],
    );
  }
  for (const zone of ['UTC', 'Pacific/Kiritimati', 'America/Los_Angeles']) {
    const counts = await testApp.ctx.tx(async (ctx) => {
      await ctx.db.query(`select set_config('timezone', $1, true)`, [zone]);
      return listPayments(ctx, '2025-03-01');
    });
    expect(counts).toContainEqual({ userId: referrer.id, before: 2, last: 3 });
  }
});
