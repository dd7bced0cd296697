import {
  changePassword,
  logout,
  recoverPassword,
  revokeOtherSessions,
  setPassword,
  signIn,
  signUp,
} from '@cellhop/contract/auth';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { actionsOf, entriesOf } from '../../../test/audit-log.ts';
import { createUser, PASSWORD } from '../../../test/factories.ts';
import { newestLink, pressConfirm, startTestAppWithMail } from '../../../test/mail.ts';
import type { TestApp } from '../../../test/test-app.ts';
import { deleteOld, record } from './audit-log.service.ts';
import { createTestClient } from '../../../test/test-client.ts';

const WRONG_PASSWORD = 'a wrong password';
const NEW_PASSWORD = 'a password that is new';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestAppWithMail();
});
afterAll(() => testApp.stop());

const enter = (email: string, password = PASSWORD) =>
  testApp.call(
    signIn,
    { body: { email, password } },
    { headers: { 'user-agent': 'curl/8.5.0', 'x-forwarded-for': '203.0.113.7' } },
  );

describe('the audit log', () => {
  test('records who did what, from where, with which device and in which request', async () => {
    const user = await createUser(testApp);
    await enter(user.email);
    const [first, second] = await entriesOf(testApp, user.id);
    expect(first).toMatchObject({ action: 'SIGN_IN', actorId: user.id, ip: '127.0.0.1', device: 'Unknown device' });
    expect(second).toMatchObject({ action: 'SIGN_IN', actorId: user.id, ip: '203.0.113.7', device: 'curl' });
    expect(second!.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(second!.requestId).not.toBe(first!.requestId);
  });

  test('records each event of an account once', { tags: ['thorough'] }, async () => {
    const referrer = await createUser(testApp);
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    const body = { languageCode: 'en', email, password: PASSWORD, referralCode: referrer.referralCode } as const;
    await testApp.call(signUp, { body });
    await pressConfirm(testApp, await newestLink(testApp, email));
    await expect(enter(email, WRONG_PASSWORD)).rejects.toMatchObject({ status: 400 });
    const { data } = await enter(email);
    const call = createTestClient({
      baseUrl: testApp.url,
      headers: () => ({ authorization: `Bearer ${data.accessToken}` }),
    });
    await call(revokeOtherSessions, {});
    await call(changePassword, { body: { currentPassword: PASSWORD, password: NEW_PASSWORD } });
    await call(logout, {});
    await testApp.call(recoverPassword, { body: { email } });
    const code = (await newestLink(testApp, email)).searchParams.get('code')!;
    await testApp.call(setPassword, { body: { code, password: PASSWORD } });
    expect(await actionsOf(testApp, data.profile.id)).toEqual([
      'SIGN_UP',
      'EMAIL_CONFIRMED',
      'SIGN_IN_FAILED',
      'SIGN_IN',
      'OTHER_SESSIONS_REVOKED',
      'PASSWORD_CHANGED',
      'SIGN_OUT',
      'PASSWORD_RECOVERY_REQUESTED',
      'PASSWORD_RECOVERED',
    ]);
    const [row] = await testApp.database.query<{ text: string }>(
      `select string_agg(audit_log::text, ' ') as text from audit_log`,
    );
    const secrets = [PASSWORD, NEW_PASSWORD, WRONG_PASSWORD, code, data.accessToken, data.refreshToken];
    for (const secret of secrets) expect(row!.text).not.toContain(secret);
    expect(row!.text).not.toContain('@example.com');
  });

  test('records failures with their reason: unknown, blocked and rate-limited users', async () => {
    const user = await createUser(testApp);
    for (let failure = 0; failure < 7; failure++) await enter(user.email, WRONG_PASSWORD).catch(() => {});
    const entries = await entriesOf(testApp, user.id);
    expect(entries.map(({ action }) => action)).toEqual([
      'SIGN_IN',
      ...Array.from({ length: 5 }, () => 'SIGN_IN_FAILED'),
      'SIGN_IN_THROTTLED',
    ]);
    expect(entries[1]).toMatchObject({ actorId: null, details: { reason: 'WRONG_PASSWORD' } });

    const blocked = await createUser(testApp);
    await testApp.database.query(`update users set status = 'BLOCKED' where id = $1`, [blocked.id]);
    await expect(enter(blocked.email)).rejects.toMatchObject({ status: 403 });
    expect((await entriesOf(testApp, blocked.id)).at(-1)).toMatchObject({
      action: 'SIGN_IN_FAILED',
      details: { reason: 'ACCOUNT_BLOCKED' },
    });

    await expect(enter('nobody@example.com')).rejects.toMatchObject({ status: 400 });
    const [stranger] = await testApp.database.query<{ details: object }>(
      `select details from audit_log where action = 'SIGN_IN_FAILED' and subject_id is null`,
    );
    expect(stranger!.details).toEqual({ reason: 'WRONG_PASSWORD' });
  });

  test('has no entry for a change that was rolled back', async () => {
    const user = await createUser(testApp);
    const rolledBack = testApp.ctx.tx(async (ctx) => {
      await record(ctx, { action: 'PASSWORD_CHANGED', actorId: user.id, userId: user.id, requester: undefined });
      throw new Error('changed my mind');
    });
    await expect(rolledBack).rejects.toThrow('changed my mind');
    expect(await actionsOf(testApp, user.id)).toEqual(['SIGN_IN']);
  });

  test('cannot be changed or truncated, and entries cannot be deleted within a year', async () => {
    const user = await createUser(testApp);
    for (const statement of [
      `update audit_log set action = 'SIGN_OUT' where subject_id = '${user.id}'`,
      `delete from audit_log where subject_id = '${user.id}'`,
      'truncate audit_log',
    ])
      await expect(testApp.database.query(statement)).rejects.toThrow('append-only');
    expect(await actionsOf(testApp, user.id)).toEqual(['SIGN_IN']);
  });

  test('deletes entries after a year', async () => {
    await testApp.database.query(
      `insert into audit_log (action, created_at) values
         ('OLD', now() - interval '366 days'), ('YOUNG', now() - interval '364 days')`,
    );
    await deleteOld(testApp.ctx);
    const rows = await testApp.database.query(`select action from audit_log where action in ('OLD', 'YOUNG')`);
    expect(rows).toEqual([{ action: 'YOUNG' }]);
  });
});
