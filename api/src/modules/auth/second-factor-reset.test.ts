/** @module-tag thorough */
import { getSecondFactor, signIn } from '@cellhop/contract/auth';
import { changeUserRole, changeUserStatus, getUser, resetSecondFactor } from '@cellhop/contract/staff/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entriesOf } from '../../../test/audit-log.ts';
import { createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { mailsTo, newestLink, runJobs, startTestAppWithMail } from '../../../test/mail.ts';
import { activateSecondFactor } from '../../../test/second-factor.ts';
import type { TestApp } from '../../../test/test-app.ts';
import { findDueTime, resetDue } from './second-factor-reset.service.ts';

let testApp: TestApp;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestAppWithMail();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(() => testApp.stop());

const ask = (user: TestUser, by = admin, version?: number) =>
  by.call(resetSecondFactor, { params: { id: user.id }, body: { reason: 'lost the phone', version } });
const isOn = async (user: TestUser) => (await user.call(getSecondFactor, {})).data.isOn;
/** Moves request and mail a day back, and runs the job. */
async function passDay(user: TestUser): Promise<void> {
  await testApp.database.query(
    `update second_factor_resets set due_at = due_at - interval '1 day', requested_at = requested_at - interval '1 day'
      where user_id = $1`,
    [user.id],
  );
  await testApp.database.query(`update sent_mails set sent_at = sent_at - interval '1 day' where user_id = $1`, [
    user.id,
  ]);
  await resetDue(testApp.ctx);
}
const resetsOf = async (user: TestUser) =>
  (await entriesOf(testApp, user.id))
    .filter(({ action }) => action.startsWith('SECOND_FACTOR_RESET'))
    .map(({ action, details }) => [action.replace('SECOND_FACTOR_RESET', ''), details['reason']]);
const pressed = (code: string, method: string) =>
  method === 'GET'
    ? fetch(`${testApp.url}/v1/auth/second-factor/reset?code=${code}`)
    : fetch(`${testApp.url}/v1/auth/second-factor/reset`, { method, body: new URLSearchParams({ code }) });

async function customer(languageCode: 'en' | 'ru' = 'en') {
  const user = await createUser(testApp, { languageCode });
  return { user, ...(await activateSecondFactor(testApp, user)) };
}

test('a reset takes place a day after its mail was sent; a repeated request changes nothing', async () => {
  const { user } = await customer('ru');
  const { data } = await ask(user);
  expect(Date.parse(data.secondFactorResetAt!)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  expect((await ask(user, admin, data.version + 7)).data.secondFactorResetAt).toBe(data.secondFactorResetAt);
  const mails = await mailsTo(testApp, user.email);
  expect(mails.map(({ subject }) => subject)).toEqual(['Двухфакторный вход в Cellhop будет выключен']);
  await resetDue(testApp.ctx);
  expect(await isOn(user)).toBe(true);
  await passDay(user);
  expect(await isOn(user)).toBe(false);
  await testApp.call(signIn, { body: { email: user.email, password: PASSWORD } });
  expect(await resetsOf(user)).toEqual([
    ['_REQUESTED', 'lost the phone'],
    ['', undefined],
  ]);
  const shown = (await admin.call(getUser, { params: { id: user.id } })).data;
  expect(shown).toMatchObject({ hasSecondFactor: false, secondFactorResetAt: null });
  await expect(ask(user)).rejects.toMatchObject({ code: 'SECOND_FACTOR_OFF' });
});

test('the page behind the link stops it by its button alone', async () => {
  const { user } = await customer();
  await ask(user);
  const code = (await newestLink(testApp, user.email)).searchParams.get('code')!;
  expect(await (await pressed(code, 'GET')).text()).toContain('Keep two-factor sign-in?');
  expect((await admin.call(getUser, { params: { id: user.id } })).data.secondFactorResetAt).not.toBeNull();
  expect(await (await pressed(code, 'POST')).text()).toContain('Two-factor sign-in stays on');
  expect((await pressed(code, 'POST')).status).toBe(404);
  expect((await pressed(code, 'GET')).status).toBe(404);
  await passDay(user);
  expect(await isOn(user)).toBe(true);
  expect((await resetsOf(user)).at(-1)).toEqual(['_STOPPED', 'LINK_USED']);
});

test.each(['a code of the app', 'a recovery code'])('a sign-in with %s stops it', async (kind) => {
  const { user, freshCode, recoveryCodes } = await customer();
  await ask(user);
  const secondFactorCode = kind === 'a recovery code' ? recoveryCodes[0]! : await freshCode();
  await testApp.call(signIn, { body: { email: user.email, password: PASSWORD, secondFactorCode } });
  expect((await resetsOf(user)).at(-1)).toEqual(['_STOPPED', 'FACTOR_USED']);
  await passDay(user);
  expect(await isOn(user)).toBe(true);
});

test.each([
  'update second_factors set last_step = last_step + 9 where user_id = $1',
  'update recovery_codes set used_at = now() where user_id = $1',
])('a use of the factor at a process of the previous release stops it: %s', async (use) => {
  const { user } = await customer();
  await ask(user);
  await runJobs(testApp);
  await testApp.database.query(use, [user.id]);
  await passDay(user);
  expect(await isOn(user)).toBe(true);
  expect((await resetsOf(user)).at(-1)).toEqual(['_STOPPED', 'FACTOR_USED']);
});

test('a mail that was not sent stops it, and one that was sent late delays it', async () => {
  const [{ user: unsent }, { user: late }] = [await customer(), await customer()];
  await ask(late);
  await runJobs(testApp);
  await ask(unsent);
  await passDay(unsent);
  expect((await resetsOf(unsent)).at(-1)).toEqual(['_STOPPED', 'MAIL_NOT_SENT']);
  await testApp.database.query('update second_factor_resets set due_at = now() where user_id = $1', [late.id]);
  await resetDue(testApp.ctx);
  expect([await isOn(unsent), await isOn(late)]).toEqual([true, true]);
  // It does not come first again, before those that are due.
  expect((await findDueTime(testApp.ctx, late.id))!.getTime()).toBeGreaterThan(Date.now());
  await passDay(late);
  expect(await isOn(late)).toBe(false);
});

const change = (id: string, status: 'BLOCKED' | 'ACTIVE') =>
  admin.call(changeUserStatus, { params: { id }, body: { status, reason: 'left us' } });
const setRole = (id: string, role: string) =>
  admin.call(changeUserRole, { params: { id }, body: { role, reason: 'another task' } });

test(
  'an author who is blocked, unblocked, or loses the permission resets nothing',
  { tags: ['thorough'] },
  async () => {
    for (const [loseAccess, reason] of [
      [
        async (id: string) => {
          await change(id, 'BLOCKED');
          await change(id, 'ACTIVE');
        },
        'USER_BLOCKED',
      ],
      [(id: string) => setRole(id, 'SUPPORT'), 'NO_LONGER_ALLOWED'],
    ] as const) {
      const author = await createUser(testApp, { roleName: 'ADMIN' });
      const { user } = await customer();
      await ask(user, author);
      await runJobs(testApp);
      await loseAccess(author.id);
      await passDay(user);
      expect(await isOn(user)).toBe(true);
      expect((await resetsOf(user)).at(-1)).toEqual(['_STOPPED', reason]);
    }
    const { user: promoted } = await customer();
    await ask(promoted);
    await runJobs(testApp);
    await setRole(promoted.id, 'SUPPORT');
    await passDay(promoted);
    expect(await isOn(promoted)).toBe(true);
  },
);

test('is refused for staff, for the blocked, without the permission, and for an outdated page', async () => {
  const support = await createUser(testApp, { roleName: 'SUPPORT' });
  await activateSecondFactor(testApp, support);
  await expect(ask(support)).rejects.toMatchObject({ status: 403, code: 'STAFF_SECOND_FACTOR' });
  const { user } = await customer();
  await expect(ask(user, support)).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
  await expect(ask(user, admin, 99)).rejects.toMatchObject({ code: 'CHANGED_ELSEWHERE' });
  await admin.call(changeUserStatus, { params: { id: user.id }, body: { status: 'BLOCKED', reason: 'fraud' } });
  await expect(ask(user)).rejects.toMatchObject({ code: 'ACCOUNT_BLOCKED' });
  expect(await resetsOf(user)).toEqual([]);
});

test('of several requests at once one counts', async () => {
  const { user } = await customer();
  await Promise.all([ask(user), ask(user), ask(user)]);
  expect(await resetsOf(user)).toHaveLength(1);
  expect(await mailsTo(testApp, user.email)).toHaveLength(1);
});
