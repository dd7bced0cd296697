import {
  disableSecondFactor,
  enableSecondFactor,
  getSecondFactor,
  listSessions,
  recoverPassword,
  renewRecoveryCodes,
  setPassword,
  setUpSecondFactor,
  signIn,
  type SignInBody,
} from '@cellhop/contract/auth';
import { listAllConnections } from '@cellhop/contract/staff/connections';
import type { ApiError } from '@cellhop/contract/client';
import { getProfile } from '@cellhop/contract/users';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { actionsOf, entriesOf } from '../../../test/audit-log.ts';
import { createUser, PASSWORD } from '../../../test/factories.ts';
import { newestLink, startTestAppWithMail } from '../../../test/mail.ts';
import { codeOf, activateSecondFactor, wrongCode } from '../../../test/second-factor.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { scaled } from '../../../../tools/test-scale.ts';

const CODES = scaled(10, 100);

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestAppWithMail();
});
afterAll(() => testApp.stop());

const enter = (email: string, secondFactorCode?: string, password = PASSWORD) => {
  const body: SignInBody = { email, password, ...(secondFactorCode !== undefined && { secondFactorCode }) };
  return testApp.call(signIn, { body });
};
const INVALID = { status: 400, code: 'SECOND_FACTOR_INVALID' };
const REQUIRED = { status: 403, code: 'SECOND_FACTOR_REQUIRED' };
const outcome = (promise: Promise<unknown>) =>
  promise.then(
    () => 'IN',
    (error: ApiError) => error.code,
  );

describe('enabling the second factor', () => {
  test('requires the password, then a code of the new secret; ends all other sessions', async () => {
    const user = await createUser(testApp);
    await enter(user.email);
    const { secret, uri } = (await user.call(setUpSecondFactor, { body: { password: PASSWORD } })).data;
    expect(uri).toContain(`otpauth://totp/Cellhop:${encodeURIComponent(user.email)}?secret=${secret}&issuer=Cellhop`);
    // Not enabled yet.
    expect((await user.call(getSecondFactor, {})).data).toEqual({
      isOn: false,
      isRequired: false,
      onSince: null,
      recoveryCodesLeft: 0,
    });
    await enter(user.email);

    const { recoveryCodes } = (await user.call(enableSecondFactor, { body: { code: codeOf(secret) } })).data;
    expect(new Set(recoveryCodes).size).toBe(10);
    for (const code of recoveryCodes) expect(code).toMatch(/^([a-km-np-z2-9]{4}-){3}[a-km-np-z2-9]{4}$/);
    const state = (await user.call(getSecondFactor, {})).data;
    expect(state).toMatchObject({ isOn: true, isRequired: false, recoveryCodesLeft: 10 });
    expect(Date.parse(state.onSince!)).toBeLessThanOrEqual(Date.now());
    expect((await user.call(getProfile, {})).data.secondFactor).toBe('ON');
    expect((await user.call(listSessions, {})).data.map(({ isCurrent }) => isCurrent)).toEqual([true]);
    expect((await entriesOf(testApp, user.id)).at(-1)).toMatchObject({
      action: 'SECOND_FACTOR_ENABLED',
      details: { endedSessions: 2 },
    });
  });

  test('stores neither secret nor recovery codes in clear', async () => {
    const user = await createUser(testApp);
    const { secret, recoveryCodes } = await activateSecondFactor(testApp, user);
    const [row] = await testApp.database.query<{ stored: string }>(
      `select (select string_agg(second_factors::text, ' ') from second_factors)
           || (select string_agg(recovery_codes::text, ' ') from recovery_codes)
           || (select string_agg(audit_log::text, ' ') from audit_log) as stored`,
    );
    for (const text of [secret, ...recoveryCodes]) {
      expect(row!.stored).not.toContain(text);
      expect(row!.stored).not.toContain(Buffer.from(text).toString('hex'));
    }
  });

  test('is refused with a wrong password, a wrong code, without set-up, after half an hour, and twice', async () => {
    const user = await createUser(testApp);
    const setUp = (password = PASSWORD) => user.call(setUpSecondFactor, { body: { password } });
    const enable = (code: string) => user.call(enableSecondFactor, { body: { code } });
    await expect(enable('123456')).rejects.toMatchObject(INVALID);
    await expect(setUp('a wrong password')).rejects.toMatchObject({ status: 400, code: 'WRONG_PASSWORD' });
    const first = (await setUp()).data;
    const second = (await setUp()).data;
    expect(second.secret).not.toBe(first.secret);
    await expect(enable(codeOf(first.secret))).rejects.toMatchObject(INVALID);
    await testApp.database.query(
      `update second_factors set created_at = created_at - interval '31 minutes' where user_id = $1`,
      [user.id],
    );
    await expect(enable(codeOf(second.secret))).rejects.toMatchObject(INVALID);
    const { secret } = (await setUp()).data;
    await enable(codeOf(secret));
    await expect(enable(codeOf(secret, 1))).rejects.toMatchObject({ status: 409, code: 'SECOND_FACTOR_ON' });
    await expect(setUp()).rejects.toMatchObject({ status: 409, code: 'SECOND_FACTOR_ON' });
  });

  test('concurrently creates one set of recovery codes', async () => {
    const user = await createUser(testApp);
    const { secret } = (await user.call(setUpSecondFactor, { body: { password: PASSWORD } })).data;
    const attempts = [1, 2, 3].map(() => user.call(enableSecondFactor, { body: { code: codeOf(secret) } }));
    const outcomes = await Promise.all(attempts.map(outcome));
    expect(outcomes.filter((each) => each === 'IN')).toHaveLength(1);
    expect((await user.call(getSecondFactor, {})).data.recoveryCodesLeft).toBe(10);
  });

  test('leaves no session of a concurrent sign-in without a code', async () => {
    const user = await createUser(testApp);
    const { secret } = (await user.call(setUpSecondFactor, { body: { password: PASSWORD } })).data;
    await Promise.all([
      user.call(enableSecondFactor, { body: { code: codeOf(secret) } }),
      ...Array.from({ length: 8 }, () => outcome(enter(user.email))),
    ]);
    expect((await user.call(listSessions, {})).data.map(({ isCurrent }) => isCurrent)).toEqual([true]);
  });
});

describe('sign-in with a second factor', () => {
  test('requires a code only after the right password, and accepts each code once', async () => {
    const user = await createUser(testApp);
    const { secret, spentCode } = await activateSecondFactor(testApp, user);
    await expect(enter(user.email, undefined, 'a wrong password')).rejects.toMatchObject({
      code: 'INVALID_CREDENTIALS',
    });
    await expect(enter(user.email)).rejects.toMatchObject(REQUIRED);
    // The code that enabled it is used up, the next one is not.
    await expect(enter(user.email, spentCode)).rejects.toMatchObject(INVALID);
    const next = codeOf(secret, 1);
    const inArabicDigits = next.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x06_60 + Number(digit)));
    const session = (await enter(user.email, `${inArabicDigits.slice(0, 3)}-${inArabicDigits.slice(3)}`)).data;
    expect(session.profile.secondFactor).toBe('ON');
    await expect(enter(user.email, next)).rejects.toMatchObject(INVALID);
    await expect(enter(user.email, wrongCode(secret))).rejects.toMatchObject(INVALID);
  });

  test('accepts one code once, even concurrently', async () => {
    const user = await createUser(testApp);
    const { freshCode, recoveryCodes } = await activateSecondFactor(testApp, user);
    for (const code of [await freshCode(), recoveryCodes[0]!]) {
      const outcomes = await Promise.all([1, 2, 3, 4].map(() => outcome(enter(user.email, code))));
      expect(outcomes.filter((each) => each === 'IN')).toHaveLength(1);
      await testApp.database.query('truncate rate_limits');
    }
  });

  test('accepts a recovery code once, in any notation, and returns how many are left', async () => {
    const user = await createUser(testApp);
    const { recoveryCodes } = await activateSecondFactor(testApp, user);
    await enter(user.email, ` ${recoveryCodes[3]!.toUpperCase().replaceAll('-', ' ')} `);
    for (const spent of [recoveryCodes[3]!, recoveryCodes[3]!.replaceAll('-', '')])
      await expect(enter(user.email, spent)).rejects.toMatchObject(INVALID);
    expect((await user.call(getSecondFactor, {})).data.recoveryCodesLeft).toBe(9);
    const [mine, foreign] = [await createUser(testApp), recoveryCodes[4]!];
    await activateSecondFactor(testApp, mine);
    await expect(enter(mine.email, foreign)).rejects.toMatchObject(INVALID);
    const entries = await entriesOf(testApp, user.id);
    expect(entries.filter(({ action }) => action === 'RECOVERY_CODE_USED')).toHaveLength(1);
  });

  test('is still required after a password recovery', { tags: ['thorough'] }, async () => {
    const user = await createUser(testApp);
    const { freshCode } = await activateSecondFactor(testApp, user);
    await testApp.call(recoverPassword, { body: { email: user.email } });
    const code = (await newestLink(testApp, user.email)).searchParams.get('code')!;
    await testApp.call(setPassword, { body: { code, password: 'a password that is new' } });
    await expect(enter(user.email, undefined, 'a password that is new')).rejects.toMatchObject(REQUIRED);
    await enter(user.email, await freshCode(), 'a password that is new');
  });
});

describe('guessing codes', () => {
  test('is stopped after five; the right password in between does not reset the counter', async () => {
    const user = await createUser(testApp);
    const { secret, freshCode } = await activateSecondFactor(testApp, user);
    for (let failure = 0; failure < 5; failure++) {
      await expect(enter(user.email)).rejects.toMatchObject(REQUIRED);
      await expect(enter(user.email, wrongCode(secret))).rejects.toMatchObject(INVALID);
    }
    await expect(enter(user.email, await freshCode())).rejects.toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    const actions = await actionsOf(testApp, user.id);
    expect(actions.filter((action) => action === 'SIGN_IN_FAILED')).toHaveLength(5);
    expect(actions.at(-1)).toBe('SIGN_IN_THROTTLED');
  });

  test('and passwords are counted together', async () => {
    const user = await createUser(testApp);
    const { secret, freshCode } = await activateSecondFactor(testApp, user);
    for (let failure = 0; failure < 3; failure++)
      await expect(enter(user.email, undefined, 'a wrong password')).rejects.toMatchObject({ status: 400 });
    for (let failure = 0; failure < 2; failure++)
      await expect(enter(user.email, wrongCode(secret))).rejects.toMatchObject(INVALID);
    await expect(enter(user.email, await freshCode())).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  test(`of ${CODES} concurrent codes only five are compared`, { tags: ['long'] }, async () => {
    const user = await createUser(testApp);
    const { secret } = await activateSecondFactor(testApp, user);
    const outcomes = await Promise.all(
      Array.from({ length: CODES }, () => outcome(enter(user.email, wrongCode(secret)))),
    );
    expect(outcomes.filter((each) => each === 'SECOND_FACTOR_INVALID')).toHaveLength(5);
    // A busy machine also refuses passwords that would wait for too long.
    expect(outcomes.filter((each) => each === 'RATE_LIMITED' || each === 'UNAVAILABLE')).toHaveLength(CODES - 5);
  });

  test('is limited to twenty a day; the right code resets the counter', { tags: ['thorough'] }, async () => {
    const user = await createUser(testApp);
    const { secret, freshCode } = await activateSecondFactor(testApp, user);
    const wait = () => testApp.database.query(`delete from rate_limits where key not like 'wrong-code-account:%'`);
    const fail = async (times: number) => {
      for (let failure = 0; failure < times; failure++) {
        if (failure % 5 === 0) await wait();
        await expect(enter(user.email, wrongCode(secret))).rejects.toMatchObject(INVALID);
      }
      await wait();
    };
    await fail(19);
    await enter(user.email, await freshCode());
    await fail(20);
    await expect(enter(user.email, await freshCode())).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });
});

describe('with the second factor enabled', () => {
  test('new recovery codes replace the old ones; both password and code are needed', async () => {
    const user = await createUser(testApp);
    const { secret, recoveryCodes, freshCode } = await activateSecondFactor(testApp, user);
    const renew = (code: string, password = PASSWORD) => user.call(renewRecoveryCodes, { body: { password, code } });
    await expect(renew(await freshCode(), 'a wrong password')).rejects.toMatchObject({ code: 'WRONG_PASSWORD' });
    await expect(renew(wrongCode(secret))).rejects.toMatchObject(INVALID);
    const renewed = (await renew(await freshCode())).data.recoveryCodes;
    expect(renewed).toHaveLength(10);
    await expect(enter(user.email, recoveryCodes[0])).rejects.toMatchObject(INVALID);
    await enter(user.email, renewed[0]);
  });

  test('it is disabled with password and code; then the password is enough', async () => {
    const user = await createUser(testApp);
    const { secret, recoveryCodes } = await activateSecondFactor(testApp, user);
    const disable = (code: string, password = PASSWORD) => user.call(disableSecondFactor, { body: { password, code } });
    await expect(disable(recoveryCodes[0]!, 'a wrong password')).rejects.toMatchObject({ code: 'WRONG_PASSWORD' });
    await expect(disable(wrongCode(secret))).rejects.toMatchObject(INVALID);
    expect((await disable(recoveryCodes[0]!)).data).toEqual({
      isOn: false,
      isRequired: false,
      onSince: null,
      recoveryCodesLeft: 0,
    });
    await enter(user.email);
    await expect(disable(recoveryCodes[1]!)).rejects.toMatchObject({ status: 409, code: 'SECOND_FACTOR_OFF' });
    const body = { password: PASSWORD, code: recoveryCodes[1]! };
    await expect(user.call(renewRecoveryCodes, { body })).rejects.toMatchObject({ code: 'SECOND_FACTOR_OFF' });
    expect((await actionsOf(testApp, user.id)).filter((action) => action.startsWith('SECOND_FACTOR'))).toEqual([
      'SECOND_FACTOR_SET_UP',
      'SECOND_FACTOR_ENABLED',
      'SECOND_FACTOR_DISABLED',
    ]);
  });

  test('a stolen session cannot guess its way past password or code', async () => {
    const user = await createUser(testApp);
    const { secret, freshCode } = await activateSecondFactor(testApp, user);
    const disable = (code: string, password: string) => user.call(disableSecondFactor, { body: { password, code } });
    const setUp = () => user.call(setUpSecondFactor, { body: { password: PASSWORD } });
    for (let failure = 0; failure < 5; failure++) {
      await expect(disable(wrongCode(secret), PASSWORD)).rejects.toMatchObject(INVALID);
      // A correct password at sign-in does not reset it.
      await expect(setUp()).rejects.toMatchObject({ code: 'SECOND_FACTOR_ON' });
    }
    await expect(disable(await freshCode(), PASSWORD)).rejects.toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect((await actionsOf(testApp, user.id)).at(-1)).toBe('PROOF_THROTTLED');
    // The owner's sign-in is not affected.
    await enter(user.email, await freshCode());
  });
});

describe('if staff must have it', () => {
  let strict: TestApp;
  beforeAll(async () => {
    strict = await startTestApp({ requiresStaffSecondFactor: true });
  });
  afterAll(() => strict.stop());

  test('permissions are only effective once it is enabled', async () => {
    const admin = await createUser(strict, { roleName: 'ADMIN' });
    const see = () => admin.call(listAllConnections, { query: {} });
    expect((await admin.call(getProfile, {})).data).toMatchObject({
      secondFactor: 'DUE',
      role: { name: 'ADMIN', permissions: [] },
    });
    await expect(see()).rejects.toMatchObject(REQUIRED);
    expect((await admin.call(getSecondFactor, {})).data).toMatchObject({ isOn: false, isRequired: true });
    const { freshCode } = await activateSecondFactor(strict, admin);
    await see();
    const { data } = await admin.call(getProfile, {});
    expect(data.secondFactor).toBe('ON');
    expect(data.role.permissions).toContain('CONNECTIONS_READ');
    const body = { password: PASSWORD, code: await freshCode() };
    await expect(admin.call(disableSecondFactor, { body })).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });

  test('customers do not need it until they become staff', async () => {
    const user = await createUser(strict);
    expect((await user.call(getProfile, {})).data.secondFactor).toBe('OFF');
    await expect(user.call(listAllConnections, { query: {} })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await strict.database.query(`update users set role_name = 'SUPPORT' where id = $1`, [user.id]);
    expect((await user.call(getProfile, {})).data).toMatchObject({ secondFactor: 'DUE', role: { permissions: [] } });
    await expect(user.call(listAllConnections, { query: {} })).rejects.toMatchObject(REQUIRED);
  });

  test('otherwise staff can work without it', async () => {
    const admin = await createUser(testApp, { roleName: 'ADMIN' });
    expect((await admin.call(getProfile, {})).data.secondFactor).toBe('OFF');
    await admin.call(listAllConnections, { query: {} });
  });
});
