import {
  changePassword,
  recoverPassword,
  resendConfirmation,
  resendRecovery,
  setUpSecondFactor,
  signIn,
  signUp,
} from '@cellhop/contract/auth';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, PASSWORD } from '../../../test/factories.ts';
import { buildApp } from '../../app.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { deleteExpired } from './auth.service.ts';
import { createTestClient } from '../../../test/test-client.ts';

/** A request from another address, as a trusted proxy reports it. */
const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } });

const hex = (index: number) => index.toString(16);

describe('in production', () => {
  let testApp: TestApp;
  beforeAll(async () => {
    testApp = await startTestApp({ isDevelopment: false, smtpUrl: 'smtp://127.0.0.1:1', requestsPerMinute: 10_000 });
  });
  afterAll(() => testApp.stop());

  test('one address may fail 30 times in 15 minutes over all accounts', { tags: ['thorough'] }, async () => {
    const { email, call } = await createUser(testApp);
    const fail = (index: number) =>
      testApp.call(
        signIn,
        { body: { email: `nobody${index}@example.com`, password: 'a wrong password' } },
        from('203.0.113.1'),
      );
    for (let index = 0; index < 30; index++)
      await expect(fail(index)).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
    await expect(fail(30)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    const body = { email, password: PASSWORD };
    await expect(testApp.call(signIn, { body }, from('203.0.113.1'))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await testApp.call(signIn, { body }, from('203.0.113.2'));
    // Re-authentication counts for the address too.
    const change = { body: { currentPassword: PASSWORD, password: 'a password that is new' } };
    await expect(call(changePassword, change, from('203.0.113.1'))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    const setUp = { body: { password: PASSWORD } };
    await expect(call(setUpSecondFactor, setUp, from('203.0.113.1'))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await call(setUpSecondFactor, setUp, from('203.0.113.2'));
  });

  const register = (email: string, ip: string) => {
    const body = { languageCode: 'en', email, password: PASSWORD, referralCode: 'NOBODYS' } as const;
    return testApp.call(signUp, { body }, from(ip));
  };

  test('one address may try 60 sign-ups in an hour', async () => {
    for (let index = 0; index < 60; index++)
      await expect(register(`a${index}@example.com`, '203.0.113.60')).rejects.toMatchObject({
        code: 'REFERRAL_CODE_NOT_FOUND',
      });
    await expect(register('b@example.com', '203.0.113.60')).rejects.toMatchObject({
      status: 429,
      code: 'RATE_LIMITED',
    });
    await expect(register('b@example.com', '203.0.113.61')).rejects.toMatchObject({ code: 'REFERRAL_CODE_NOT_FOUND' });
  });

  const countRecoveries = async (count: number, ip: (index: number) => string) => {
    let passed = 0;
    for (let index = 0; index < count; index++)
      await testApp
        .call(
          recoverPassword,
          { body: { email: `w${index}-${ip(index).replaceAll(':', '-')}@example.com` } },
          from(ip(index)),
        )
        .then(
          () => passed++,
          (error: { code: string }) => expect(error.code).toBe('RATE_LIMITED'),
        );
    return passed;
  };

  const signInWrongly = (index: number) =>
    testApp.call(
      signIn,
      { body: { email: `v${index}@example.com`, password: 'a wrong password' } },
      from(`2001:db8:d:${hex(index * 256)}::1`),
    );

  test(
    'a /48 counts as one IPv4 address, a /56 of it has three quarters of the limit, and a /64 half',
    { tags: ['thorough'] },
    async () => {
      expect(await countRecoveries(70, (index) => `2001:db8:a:${hex(index * 256)}::1`)).toBe(60);
      expect(await countRecoveries(1, () => '2001:db8:a:ffff::1')).toBe(0);
      expect(await countRecoveries(50, (index) => `2001:db8:b:${hex(index)}::1`)).toBe(45);
      expect(await countRecoveries(1, () => '2001:db8:b:100::1')).toBe(1);
      // What one /64 is refused does not count for the others.
      expect(await countRecoveries(80, () => '2001:db8:c:1::1')).toBe(30);
      expect(await countRecoveries(16, (index) => `2001:db8:c:${hex(index + 2)}::1`)).toBe(15);
      expect(await countRecoveries(15, () => '2001:db8:c:100::1')).toBe(15);
      for (let index = 0; index < 30; index++)
        await expect(signInWrongly(index)).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
      await expect(signInWrongly(30)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    },
  );

  test('one email may be tried 10 times in an hour over all addresses', async () => {
    for (let index = 0; index < 10; index++)
      await expect(register('C@example.com', `198.51.100.${index}`)).rejects.toMatchObject({ status: 404 });
    await expect(register('c@example.com', '198.51.100.99')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  test(
    'one address may request 60 mails in an hour: recoveries and resends together',
    { tags: ['thorough'] },
    async () => {
      const ask = [
        (index: number) =>
          testApp.call(recoverPassword, { body: { email: `m${index}@example.com` } }, from('192.0.2.9')),
        () => testApp.call(resendConfirmation, { body: { email: 'm@example.com' } }, from('192.0.2.9')),
        () => testApp.call(resendRecovery, { params: { sessionId: randomUUID() } }, from('192.0.2.9')),
      ];
      const outcomes: string[] = [];
      for (let index = 0; index < 60; index++)
        outcomes.push(
          await ask[index % 3]!(index).then(
            () => 'SENT',
            (error: { code: string }) => error.code,
          ),
        );
      expect(new Set(outcomes)).toEqual(new Set(['SENT', 'SESSION_NOT_FOUND']));
      for (const each of ask) await expect(each(61)).rejects.toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    },
  );

  test('all API processes share the counters', async () => {
    const { email } = await createUser(testApp);
    const other = await buildApp(testApp.ctx);
    await other.listen({ host: '127.0.0.1', port: 0 });
    const { port } = other.server.address() as AddressInfo;
    const elsewhere = createTestClient({ baseUrl: `http://127.0.0.1:${port}` });
    const body = { email, password: 'a wrong password' };
    for (let failure = 0; failure < 5; failure++)
      await expect((failure % 2 ? elsewhere : testApp.call)(signIn, { body })).rejects.toMatchObject({ status: 400 });
    for (const call of [elsewhere, testApp.call])
      await expect(call(signIn, { body })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await other.close();
  });

  test('expired counters are deleted, the others stay', async () => {
    await testApp.database.query(
      `insert into rate_limits (key, points, expire) values ('over', 1, 1), ('on', 1, 9e15)`,
    );
    await deleteExpired(testApp.ctx);
    const rows = await testApp.database.query<{ key: string }>(
      `select key from rate_limits where key in ('over', 'on')`,
    );
    expect(rows).toEqual([{ key: 'on' }]);
  });
});
