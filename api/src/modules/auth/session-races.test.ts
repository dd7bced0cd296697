/** @module-tag thorough */
import {
  changePassword,
  disableSecondFactor,
  listSessions,
  logout,
  refreshTokens,
  signIn,
  type SignInResult,
  type Tokens,
} from '@cellhop/contract/auth';
import { type ApiError } from '@cellhop/contract/client';
import { getProfile } from '@cellhop/contract/users';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entriesOf } from '../../../test/audit-log.ts';
import { createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { activateSecondFactor } from '../../../test/second-factor.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { createTestClient } from '../../../test/test-client.ts';

const ROUNDS = 8;

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const enter = async ({ email }: TestUser, secondFactorCode?: string): Promise<SignInResult> => {
  const code = secondFactorCode === undefined ? {} : { secondFactorCode };
  return (await testApp.call(signIn, { body: { email, password: PASSWORD, ...code } })).data;
};
const refresh = async ({ accessToken, refreshToken }: Tokens): Promise<Tokens> =>
  (await testApp.call(refreshTokens, { body: { accessToken, refreshToken } })).data;
const as = ({ accessToken }: Tokens) =>
  createTestClient({ baseUrl: testApp.url, headers: () => ({ authorization: `Bearer ${accessToken}` }) });
const outcome = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'IN',
    (error: ApiError) => error.code,
  );
const fulfilled = <T>(results: readonly PromiseSettledResult<T>[]): T[] =>
  results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
/** @returns the pairs with which somebody still gets in */
const findAlive = async (pairs: readonly Tokens[]) => {
  const alive: Tokens[] = [];
  for (const pair of pairs) {
    const outcomes = [await outcome(as(pair)(getProfile, {})), await outcome(refresh(pair))];
    if (outcomes.join(' ') !== 'UNAUTHORIZED REFRESH_REJECTED') alive.push(pair);
  }
  return alive;
};

describe('at the same time', () => {
  test('a sign-out and refreshes leave no valid token', async () => {
    const user = await createUser(testApp);
    for (let round = 0; round < ROUNDS; round++) {
      const session = await enter(user);
      const [, ...pairs] = await Promise.allSettled([
        as(session)(logout, {}).then(() => session),
        ...Array.from({ length: 4 }, async () => refresh(await refresh(session))),
      ]);
      expect(await findAlive([session, ...fulfilled(pairs)])).toEqual([]);
    }
  });

  test('a new password and sign-ins with the old one leave only the session that changed it', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await createUser(testApp);
      const body = { currentPassword: PASSWORD, password: 'a password that is new' };
      const [, ...sessions] = await Promise.allSettled([
        user.call(changePassword, { body }),
        ...Array.from({ length: 4 }, () => enter(user)),
      ]);
      expect((await user.call(listSessions, {})).data.map(({ isCurrent }) => isCurrent)).toEqual([true]);
      expect(await findAlive(fulfilled(sessions))).toEqual([]);
    }
  });

  test('a refresh with the current token and a thief with an older one end the session', async () => {
    const user = await createUser(testApp);
    for (let round = 0; round < ROUNDS; round++) {
      const oldest = await enter(user);
      const current = await refresh(await refresh(oldest));
      const pairs = await Promise.allSettled([refresh(current), refresh(oldest), refresh(current)]);
      expect(await findAlive([current, ...fulfilled(pairs)])).toEqual([]);
    }
  });

  test('the owner and a thief with the same token get the same pair, and the second to use it late ends the session', async () => {
    const session = await enter(await createUser(testApp));
    const [owner, thief] = await Promise.all([refresh(session), refresh(session)]);
    expect(thief).toEqual(owner);
    const next = await refresh(owner);
    // After the ten seconds of grace.
    await testApp.database.query(`update sessions set rotated_at = rotated_at - interval '11 seconds'`);
    expect(await outcome(refresh(thief))).toBe('REFRESH_REJECTED');
    expect(await findAlive([owner, next])).toEqual([]);
  });

  test('one code signs in or disables the second factor, not both', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await createUser(testApp);
      const { freshCode } = await activateSecondFactor(testApp, user);
      const code = await freshCode();
      const body = { password: PASSWORD, code };
      const outcomes = await Promise.all([
        outcome(enter(user, code)),
        outcome(user.call(disableSecondFactor, { body })),
      ]);
      expect(outcomes).toContain('IN');
      // After the factor is disabled, the sign-in needs no code, and uses none.
      const uses = (await entriesOf(testApp, user.id)).filter(
        ({ action, details }) =>
          action === 'SECOND_FACTOR_DISABLED' || (action === 'SIGN_IN' && details['hasSecondFactor'] === true),
      );
      expect(uses).toHaveLength(1);
    }
  });

  test('sign-ins without a code succeed only once the second factor is disabled, and those with one are not lost', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await createUser(testApp);
      const { freshCode, recoveryCodes } = await activateSecondFactor(testApp, user);
      const code = await freshCode();
      const body = { password: PASSWORD, code: recoveryCodes[0]! };
      const [disabled, ...entered] = await Promise.all([
        outcome(user.call(disableSecondFactor, { body })),
        outcome(enter(user, code)),
        ...Array.from({ length: 3 }, () => outcome(enter(user))),
      ]);
      expect(disabled).toBe('IN');
      const sessions = (await user.call(listSessions, {})).data;
      expect(sessions).toHaveLength(1 + entered.filter((each) => each === 'IN').length);
      const actions = (await entriesOf(testApp, user.id)).map(({ action, details }) =>
        action === 'SIGN_IN' && details['hasSecondFactor'] === false ? 'WITHOUT_CODE' : action,
      );
      const protectedTime = actions.slice(
        actions.indexOf('SECOND_FACTOR_ENABLED'),
        actions.indexOf('SECOND_FACTOR_DISABLED'),
      );
      expect(protectedTime).not.toContain('WITHOUT_CODE');
      expect(await outcome(enter(user))).toBe('IN');
    }
  });
});
