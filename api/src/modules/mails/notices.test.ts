/**
 * Mails about replies of support, top-ups and what happens to an account.
 * @module-tag thorough
 */
import { saveAlertSettings } from '@cellhop/contract/alerts';
import { disableSecondFactor } from '@cellhop/contract/auth';
import { answerTicket, createTicketForUser } from '@cellhop/contract/staff/tickets';
import { deleteUser } from '@cellhop/contract/staff/users';
import { createTicket } from '@cellhop/contract/tickets';
import { deleteAccount } from '@cellhop/contract/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { mailsTo, startTestAppWithMail } from '../../../test/mail.ts';
import { newInvoice, pay } from '../../../test/sandbox-payments.ts';
import { activateSecondFactor } from '../../../test/second-factor.ts';
import type { TestApp } from '../../../test/test-app.ts';
import { makeAdministrator } from '../auth/administrators.service.ts';
import { queueMails } from './mails.service.ts';

const SUPPORT_ADDRESS = 'support@shop.example';

let testApp: TestApp;
let support: TestUser;
beforeAll(async () => {
  testApp = await startTestAppWithMail({ ticketEmail: SUPPORT_ADDRESS, contactEmail: 'contact@shop.example' });
  support = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(() => testApp.stop());

const body = { name: 'Slow & <b>bad</b>', description: 'Since this morning\neverything is slow.' };
const off = { lowBalance: null, isMailed: false, endMails: { noMoney: false, idle: false, exitLost: false } };
const mailsOf = async ({ email }: TestUser) => {
  // Like two workers.
  await Promise.all([queueMails(testApp.ctx), queueMails(testApp.ctx)]);
  return mailsTo(testApp, email);
};
const open = async (user: TestUser) => (await user.call(createTicket, { body })).data;
const answer = (id: string, content: string, key = 'one') =>
  support.call(answerTicket, { params: { id }, body: { content } }, { headers: { 'idempotency-key': key } });

test('a reply of support is mailed once with its text, in the language of the customer, and as text only', async () => {
  const user = await createUser(testApp, { languageCode: 'ru' });
  const { id } = await open(user);
  const content = 'Hello,\n  <script>alert(1)</script> & "this"';
  for (const key of [id, id]) await answer(id, content, key);
  const mails = await mailsOf(user);
  expect(mails.map(({ subject }) => subject)).toEqual(['Ответ поддержки Cellhop']);
  const [{ text, html, links }] = mails as [(typeof mails)[0]];
  expect(text).toContain(`Обращение: ${body.name}\n\n${content}\n\n`);
  expect(html).not.toMatch(/<script|<b>/);
  expect(html).toContain('&#60;script&#62;alert(1)&#60;/script&#62; &#38; &#34;this&#34;');
  expect(links).toEqual([`${testApp.ctx.config.publicUrl}/support/tickets/${id}`]);
});

test('a ticket that staff open is mailed with its text', async () => {
  const user = await createUser(testApp);
  await support.call(createTicketForUser, { body: { ...body, userId: user.id } });
  expect((await mailsOf(user)).map(({ text }) => text.includes(body.description))).toEqual([true]);
});

test('a ticket of a customer is mailed to the address of the support team, with a link to its page', async () => {
  const before = (await mailsTo(testApp, SUPPORT_ADDRESS)).length;
  const { id } = await open(await createUser(testApp));
  const [mail, ...older] = await mailsTo(testApp, SUPPORT_ADDRESS);
  expect(older).toHaveLength(before);
  expect(mail!.text).toContain(`Ticket: ${body.name}\n\n${body.description}\n\n`);
  expect(mail!.links).toEqual([`${testApp.ctx.config.publicUrl}/admin/tickets/${id}`]);
});

test('a credited top-up is mailed once with its amount', async () => {
  const user = await createUser(testApp);
  await pay(testApp, await newInvoice(user));
  const mails = await mailsOf(user);
  expect(mails.map(({ subject }) => subject)).toEqual(['Your Cellhop balance was topped up']);
  expect(mails[0]!.text).toMatch(/Credited: \$\d+\.\d\d\n/);
  expect(mails[0]!.links).toEqual([`${testApp.ctx.config.publicUrl}/transactions`]);
});

test('mails about replies and top-ups can be switched off, each alone', async () => {
  const user = await createUser(testApp);
  await user.call(saveAlertSettings, { body: { ...off, isTicketMailed: false } });
  await answer((await open(user)).id, 'Hello', 'switched off');
  await pay(testApp, await newInvoice(user));
  expect((await mailsOf(user)).map(({ subject }) => subject)).toEqual(['Your Cellhop balance was topped up']);
  await user.call(saveAlertSettings, { body: { ...off, isTicketMailed: true, isTopUpMailed: false } });
  await answer((await open(user)).id, 'Hello', 'switched on');
  await pay(testApp, await newInvoice(user));
  expect((await mailsOf(user)).map(({ subject }) => subject)).toEqual([
    'Cellhop support has replied',
    'Your Cellhop balance was topped up',
  ]);
});

test('two-factor sign-in that is switched off is mailed regardless of the settings, with the device only if it was the user', async () => {
  const user = await createUser(testApp);
  await user.call(saveAlertSettings, {
    body: { ...off, isNewsMailed: false, isTicketMailed: false, isTopUpMailed: false },
  });
  const { recoveryCodes } = await activateSecondFactor(testApp, user);
  await user.call(disableSecondFactor, { body: { password: PASSWORD, code: recoveryCodes[0]! } });
  const [mail, ...others] = await mailsOf(user);
  expect(others).toEqual([]);
  expect(mail!.subject).toBe('Two-factor sign-in to Cellhop was turned off');
  expect(mail!.text).toMatch(/Time: .*\nDevice: .*\nAddress: 127\.0\.0\.1\n/);
  expect(mail!.links).toEqual([`${testApp.ctx.config.publicUrl}/restore-access`]);

  await activateSecondFactor(testApp, user);
  await makeAdministrator(testApp.ctx, { email: user.email, password: undefined, resetsSecondFactor: true });
  expect((await mailsOf(user))[0]!.text).toMatch(/Time: [^\n]*\n\nIf it was you/);
});

test('a deleted account is mailed to its address, also if a balance is given up; staff who delete it stay unnamed', async () => {
  const [owner, other] = [
    await createUser(testApp, { balanceMicros: 1_500_000n }),
    await createUser(testApp, { languageCode: 'ru' }),
  ];
  await owner.call(deleteAccount, { body: { password: PASSWORD, waivedBalance: 1.5 } });
  await support.call(deleteUser, { params: { id: other.id }, body: { reason: 'asked for it' } });
  const [mail, ...more] = await mailsOf(owner);
  expect(more).toEqual([]);
  expect(mail!.subject).toBe('Your Cellhop account was deleted');
  expect(mail!.text).toContain('Address: 127.0.0.1');
  expect(mail!.text).toContain('mailto:contact@shop.example');
  const [russian] = await mailsOf(other);
  expect(russian!.text).toMatch(/Время: [^\n]*\n\nЕсли вы об этом не просили/);
  expect(russian!.text).not.toContain('127.0.0.1');
});

test('a reply is not mailed to an account that was deleted', async () => {
  const user = await createUser(testApp);
  const { id } = await open(user);
  await user.call(deleteAccount, { body: { password: PASSWORD } });
  await answer(id, 'Are you there?', 'deleted');
  expect((await mailsOf(user)).map(({ subject }) => subject)).toEqual(['Your Cellhop account was deleted']);
});
