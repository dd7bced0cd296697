/**
 * Alerts about a low balance and traffic caps, by notification and by email.
 * @module-tag thorough
 */
import { getAlertSettings, saveAlertSettings, type SaveAlertSettingsBody } from '@cellhop/contract/alerts';
import { changeConnection, connect, disconnect } from '@cellhop/contract/connections';
import { listNotifications } from '@cellhop/contract/notifications';
import { updateProfile } from '@cellhop/contract/users';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProxy, createUser, topUp, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { mailsTo, startTestAppWithMail } from '../../../test/mail.ts';
import type { TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { registerNode } from '../gateway/gateway.service.ts';
import { warnOfLowBalances, warnNearCaps } from './alerts.service.ts';

const MB = 1_048_576;

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestAppWithMail();
  await registerNode(testApp.ctx);
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

/** Runs the task twice at the same time, like two workers. */
const checkBalances = () => Promise.all([warnOfLowBalances(testApp.ctx), warnOfLowBalances(testApp.ctx)]);
const checkCaps = () => Promise.all([warnNearCaps(testApp.ctx), warnNearCaps(testApp.ctx)]);
const notificationsOf = async (user: TestUser) =>
  (await user.call(listNotifications, { query: {} })).data.map(({ description }) => description);
const mailCount = async (user: TestUser) => (await mailsTo(testApp, user.email)).length;
const endMails = { noMoney: true, idle: true, exitLost: true };
const save = (user: TestUser, settings: Omit<SaveAlertSettingsBody, 'endMails'>) =>
  user.call(saveAlertSettings, { body: { ...settings, endMails } });
const read = async (user: TestUser) => (await user.call(getAlertSettings, {})).data;
const buy = async (user: TestUser) =>
  (await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } })).data;

describe('an alert about a low balance', () => {
  test('is sent once when the balance falls below the chosen amount, and again only after a top-up', async () => {
    const user = await createUser(testApp, { balanceMicros: 5_000_000n });
    await save(user, { lowBalance: 4.5, isMailed: true });
    const connection = await buy(user);
    await checkBalances();
    expect(await notificationsOf(user)).toEqual([]);
    const second = await buy(user);
    await checkBalances();
    await checkBalances();
    expect(await notificationsOf(user)).toEqual(['Your balance is low: <b>$4.20</b>.']);
    const [mail, ...others] = await mailsTo(testApp, user.email);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ subject: 'Your Cellhop balance is low' });
    expect(mail!.text).toContain('Balance: $4.20\n');
    expect(mail!.links[0]).toMatch(/\/payments\/invoices\?create=true$/);

    // A refund is no top-up.
    await user.call(disconnect, { params: second });
    await checkBalances();
    await buy(user);
    await checkBalances();
    expect(await mailCount(user)).toBe(1);

    await topUp(testApp, user.accountId, 500_000n);
    await checkBalances();
    await buy(user);
    await checkBalances();
    expect(await notificationsOf(user)).toEqual([
      'Your balance is low: <b>$4.30</b>.',
      'Your balance is low: <b>$4.20</b>.',
    ]);
    expect(await mailCount(user)).toBe(2);
    await user.call(disconnect, { params: connection });
  });

  test('is not sent for an amount above the balance that is chosen now, nor at 0', async () => {
    const user = await createUser(testApp, { balanceMicros: 2_000_000n });
    await buy(user);
    await save(user, { lowBalance: 3, isMailed: true });
    await checkBalances();
    await save(user, { lowBalance: 0, isMailed: true });
    for (let count = 0; count < 3; count += 1) await buy(user);
    await checkBalances();
    expect(await notificationsOf(user)).toEqual([]);
    expect(await mailCount(user)).toBe(0);
  });

  test('is not sent while the balance equals the chosen amount, and is sent below it', async () => {
    const user = await createUser(testApp, { balanceMicros: 2_400_000n });
    await save(user, { lowBalance: 2, isMailed: true });
    const connection = await buy(user);
    const run = createGatewayRun(testApp);
    await run.authorize(connection);
    // Money that is held for the next megabytes is not spent yet.
    await run.report(connection.id, 50 * MB, 4 * MB);
    await checkBalances();
    expect(await notificationsOf(user)).toEqual([]);
    await run.report(connection.id, 50 * MB + 1);
    await checkBalances();
    expect(await notificationsOf(user)).toEqual(['Your balance is low: <b>$1.99</b>.']);
    // A top-up to exactly the threshold counts as recovered, so the next fall causes another alert.
    await topUp(testApp, user.accountId, 8_000n);
    await checkBalances();
    await run.report(connection.id, 51 * MB + 1);
    await checkBalances();
    expect(await notificationsOf(user)).toHaveLength(2);
    await run.end(connection.id, 51 * MB + 1);
  });

  test('follows the last of a hundred changes of the threshold, with one alert', { tags: ['thorough'] }, async () => {
    const user = await createUser(testApp, { balanceMicros: 3_000_000n });
    await buy(user);
    for (let number = 0; number < 100; number += 1) {
      await save(user, { lowBalance: number % 2 === 0 ? 5 : 2.5, isMailed: true });
      if (number % 10 === 0) await checkBalances();
    }
    expect(await notificationsOf(user)).toEqual([]);
    await buy(user);
    await checkBalances();
    expect(await notificationsOf(user)).toEqual(['Your balance is low: <b>$2.20</b>.']);
    expect(await mailCount(user)).toBe(1);
  });

  test('is in the language of the user, and not mailed to users who have switched that off', async () => {
    const [russian, quiet] = await Promise.all([
      createUser(testApp, { balanceMicros: 1_200_000n }),
      createUser(testApp, { balanceMicros: 1_200_000n }),
    ]);
    await russian.call(updateProfile, { body: { languageCode: 'ru' } });
    await save(quiet, { lowBalance: null, isMailed: false });
    await Promise.all([buy(russian), buy(quiet)]);
    await checkBalances();
    const [mail] = await mailsTo(testApp, russian.email);
    expect(mail!.text).toContain('Баланс: $0,80\n');
    expect(await notificationsOf(quiet)).toEqual(['Your balance is low: <b>$0.80</b>.']);
    expect(await mailCount(quiet)).toBe(0);
  });
});

describe('an alert about a traffic cap', () => {
  test('is sent once at 80 % of the cap, and again for a higher cap', async () => {
    const user = await createUser(testApp, { balanceMicros: 5_000_000n });
    const connection = await buy(user);
    const change = (capMegabytes: number | null) =>
      user.call(changeConnection, { params: connection, body: { capMegabytes } });
    const run = createGatewayRun(testApp);
    await change(40);
    await run.authorize(connection);
    await run.report(connection.id, 32 * MB - 1);
    await checkCaps();
    expect(await notificationsOf(user)).toEqual([]);
    await run.report(connection.id, 32 * MB);
    await checkCaps();
    await checkCaps();
    const first = `Proxy <a href="/connection-history?connection=${connection.id}">${connection.ip}</a> has used <b>32 MB</b> of its traffic limit of 40 MB.`;
    expect(await notificationsOf(user)).toEqual([first]);
    const mails = await mailsTo(testApp, user.email);
    expect(mails.map(({ subject }) => subject)).toEqual(['A Cellhop connection has nearly reached its traffic limit']);
    expect(mails[0]!.text).toContain(`Proxy: ${connection.ip}\nUsed traffic: 32 of 40 MB\n`);
    expect(mails[0]!.links[0]).toContain(`/connection-history?connection=${connection.id}`);

    await change(39);
    await checkCaps();
    await change(50);
    await checkCaps();
    expect(await mailCount(user)).toBe(1);
    await run.report(connection.id, 40 * MB);
    await checkCaps();
    expect(await notificationsOf(user)).toHaveLength(2);
    expect(await mailCount(user)).toBe(2);

    await run.end(connection.id, 40 * MB);
    await user.call(disconnect, { params: connection });
    await checkCaps();
    const rows = await testApp.database.query('select from cap_warnings where connection_id = $1', [connection.id]);
    expect(rows).toEqual([]);
  });
});

describe('the settings', () => {
  test('have defaults, belong to one user, and are limited', async () => {
    const [user, other] = await Promise.all([createUser(testApp), createUser(testApp)]);
    const others = { isTicketMailed: true, isTopUpMailed: true };
    expect(await read(user)).toEqual({ lowBalance: null, isMailed: true, endMails, isNewsMailed: true, ...others });
    await save(user, { lowBalance: 12.34, isMailed: false, isNewsMailed: false, isTopUpMailed: false });
    others.isTopUpMailed = false;
    expect(await read(user)).toEqual({ lowBalance: 12.34, isMailed: false, endMails, isNewsMailed: false, ...others });
    // What is missing stays as it is.
    await save(user, { lowBalance: 12.34, isMailed: true });
    expect(await read(user)).toMatchObject({ isMailed: true, isNewsMailed: false, isTopUpMailed: false });
    expect(await read(other)).toMatchObject({ isNewsMailed: true, isTicketMailed: true, isTopUpMailed: true });
    for (const lowBalance of [-1, 100_001, 0.1234567])
      await expect(save(user, { lowBalance, isMailed: true })).rejects.toMatchObject({
        code: 'VALIDATION',
        body: { details: [{ path: 'body.lowBalance' }] },
      });
  });
});
