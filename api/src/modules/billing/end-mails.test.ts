/**
 * Mails about connections that the system has ended.
 * @module-tag thorough
 */
import { saveAlertSettings } from '@cellhop/contract/alerts';
import { connect, disconnect } from '@cellhop/contract/connections';
import { updateProfile } from '@cellhop/contract/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { mailsTo, startTestAppWithMail } from '../../../test/mail.ts';
import type { TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { registerNode } from '../gateway/gateway.service.ts';
import { mailEnds } from './alerts.service.ts';
import { endConnection } from './ending.service.ts';
import { scaled } from '../../../../tools/test-scale.ts';

const MB = 1_048_576;

const LOST = scaled(20, 100);

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestAppWithMail();
  await registerNode(testApp.ctx);
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

const buy = async (user: TestUser) =>
  (await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } })).data;
/** Backdates all ends and mails of the user. */
const pass = async (user: TestUser, minutes: number) => {
  for (const [table, column] of [
    ['unmailed_ends', 'ended_at'],
    ['end_mails', 'mailed_at'],
  ])
    await testApp.database.query(
      `update ${table} set ${column} = ${column} - $2 * interval '1 minute' where user_id = $1`,
      [user.id, minutes],
    );
};
/** Runs the task twice at the same time, like two workers. */
const mail = () => Promise.all([mailEnds(testApp.ctx), mailEnds(testApp.ctx)]);
const mailsOf = async (user: TestUser) =>
  (await mailsTo(testApp, user.email)).map(({ subject, text }) => ({ subject, text }));
const endIdle = async (user: TestUser) => {
  const connection = await buy(user);
  await endConnection(testApp.ctx, connection.id, 'IDLE');
  return connection;
};

test('out of money: one mail about all connections that have ended, after a minute', async () => {
  const user = await createUser(testApp, { balanceMicros: 800_000n });
  const run = createGatewayRun(testApp);
  const connections = [await buy(user), await buy(user)];
  for (const connection of connections) {
    await run.authorize(connection);
    await run.report(connection.id, 50 * MB, 1);
  }
  expect(
    (await testApp.database.query(`select from unmailed_ends where user_id = $1 and reason = 'NO_MONEY'`, [user.id]))
      .length,
  ).toBe(2);
  await mail();
  expect(await mailsOf(user)).toEqual([]);
  await pass(user, 1);
  await mail();
  await mail();
  const [sent, ...others] = await mailsTo(testApp, user.email);
  expect(others).toEqual([]);
  expect(sent).toMatchObject({ subject: 'Your Cellhop balance has run out' });
  expect(sent!.text).toContain(`Proxy: ${connections[0]!.ip} and 1 more\n`);
  expect(sent!.links[0]).toMatch(/\/payments\/invoices\?create=true$/);
});

test('idle: in the language of the user, with the refund and a link to the connection', async () => {
  const user = await createUser(testApp, { balanceMicros: 800_000n });
  await user.call(updateProfile, { body: { languageCode: 'ru' } });
  const connection = await endIdle(user);
  await pass(user, 1);
  await mail();
  const [sent] = await mailsTo(testApp, user.email);
  expect(sent).toMatchObject({ subject: 'Подключение Cellhop завершено: нет трафика' });
  expect(sent!.text).toContain('потому что 30\u00A0минут не было трафика:');
  expect(sent!.text).toContain(`Прокси: ${connection.ip}\nВозвращено: $0,40\n`);
  expect(sent!.links[0]).toContain(`/connection-history?connection=${connection.id}`);
});

test(
  `${LOST} lost exits within an hour are two mails, the second with all later ones`,
  { tags: ['long'] },
  async () => {
    const user = await createUser(testApp, { balanceMicros: 800_000n });
    const lose = async () => {
      const connection = await buy(user);
      await endConnection(testApp.ctx, connection.id, 'EXIT_LOST');
    };
    await lose();
    await pass(user, 1);
    await mail();
    for (let count = 0; count < LOST - 1; count += 1) {
      await lose();
      await pass(user, 50 / LOST);
      await mail();
    }
    expect(await mailsOf(user)).toHaveLength(1);
    await pass(user, 60);
    await mail();
    await mail();
    const mails = await mailsOf(user);
    expect(mails.map(({ subject }) => subject)).toEqual(
      Array(2).fill('A Cellhop connection ended: the proxy went offline'),
    );
    expect(mails.filter(({ text }) => text.includes(` and ${LOST - 2} more`))).toHaveLength(1);
  },
);

test('each reason can be switched off separately, and separately from other alerts', async () => {
  const user = await createUser(testApp, { balanceMicros: 800_000n });
  const off = { noMoney: false, idle: false, exitLost: true };
  await user.call(saveAlertSettings, { body: { lowBalance: null, isMailed: false, endMails: off } });
  await endIdle(user);
  await endConnection(testApp.ctx, (await buy(user)).id, 'EXIT_LOST');
  await pass(user, 1);
  await mail();
  expect((await mailsOf(user)).map(({ subject }) => subject)).toEqual([
    'A Cellhop connection ended: the proxy went offline',
  ]);
  const { data } = await user.call(saveAlertSettings, { body: { lowBalance: null, isMailed: true, endMails: off } });
  expect(data).toMatchObject({ lowBalance: null, isMailed: true, endMails: off, isNewsMailed: true });
});

test('nothing is mailed about ends by the user, to blocked users, or after a day', async () => {
  const user = await createUser(testApp, { balanceMicros: 800_000n });
  await user.call(disconnect, { params: await buy(user) });
  await endIdle(user);
  await pass(user, 24 * 60 + 1);
  await mail();
  expect(await mailsOf(user)).toEqual([]);
  await endIdle(user);
  await pass(user, 1);
  await testApp.database.query(`update users set status = 'BLOCKED' where id = $1`, [user.id]);
  await mail();
  expect(await mailsOf(user)).toEqual([]);
  expect(await testApp.database.query('select from unmailed_ends where user_id = $1', [user.id])).toEqual([]);
});

test('times of mails are deleted after the interval', async () => {
  const user = await createUser(testApp, { balanceMicros: 800_000n });
  await endIdle(user);
  await pass(user, 1);
  await mail();
  await pass(user, 61);
  await mail();
  expect(await testApp.database.query('select from end_mails where user_id = $1', [user.id])).toEqual([]);
});
