/** @module-tag thorough */
import * as auth from '@cellhop/contract/auth';
import type { ApiError } from '@cellhop/contract/client';
import type { EndpointDefinition } from '@cellhop/contract/endpoint';
import { errorCatalogue, type ErrorCode } from '@cellhop/contract/errors';
import { getProfile } from '@cellhop/contract/users';
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { activateSecondFactor, wrongCode } from '../../../test/second-factor.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { waitBeforeSending } from './resend-policy.ts';

let testApp: TestApp;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  user = await createUser(testApp);
});
afterAll(() => testApp.stop());

const newEmail = () => `${randomBytes(6).toString('hex')}@example.com`;
const signUpAs = (email: string, overrides: Partial<auth.SignUpBody> = {}) => {
  const body = {
    languageCode: 'en',
    email,
    password: PASSWORD,
    referralCode: user.referralCode,
    ...overrides,
  } as const;
  return testApp.call(auth.signUp, { body });
};
const signInAs = (email: string, password = PASSWORD) => testApp.call(auth.signIn, { body: { email, password } });
const recover = (email: string) => testApp.call(auth.recoverPassword, { body: { email } });
const resend = (email: string) => testApp.call(auth.resendConfirmation, { body: { email } });
const setStatus = (id: string, status: string) =>
  testApp.database.query('update users set status = $2 where id = $1', [id, status]);

interface Case {
  status: number;
  /** The exact text; `{seconds}` stands for the number. */
  message: string;
  /** Requests that cause this error. */
  provoke: Record<string, () => Promise<unknown>>;
}

/** The errors of auth endpoints: each code with its status and text, which are part of the API, and requests that cause it. */
const cases: Partial<Record<ErrorCode, Case>> = {
  VALIDATION: {
    status: 400,
    message: 'Request is not valid',
    provoke: {
      'sign-up with a common password': () => signUpAs(newEmail(), { password: 'password1' }),
      'sign-in without an email': () => signInAs(''),
    },
  },
  INVALID_CREDENTIALS: {
    status: 400,
    message: 'Invalid credentials',
    provoke: {
      'a wrong password': async () => signInAs((await createUser(testApp)).email, 'a wrong password'),
      'an unknown email': () => signInAs(newEmail()),
    },
  },
  WRONG_PASSWORD: {
    status: 400,
    message: 'Wrong password',
    provoke: {
      'change of password': async () => {
        const body = { currentPassword: 'a wrong password', password: 'a password that is new' };
        return (await createUser(testApp)).call(auth.changePassword, { body });
      },
      'set-up of the second factor': async () =>
        (await createUser(testApp)).call(auth.setUpSecondFactor, { body: { password: 'a wrong password' } }),
    },
  },
  SECOND_FACTOR_INVALID: {
    status: 400,
    message: 'Invalid second factor code',
    provoke: {
      'sign-in': async () => {
        const owner = await createUser(testApp);
        const { secret } = await activateSecondFactor(testApp, owner);
        const body = { email: owner.email, password: PASSWORD, secondFactorCode: wrongCode(secret) };
        return testApp.call(auth.signIn, { body });
      },
      'switching it on': async () =>
        (await createUser(testApp)).call(auth.enableSecondFactor, { body: { code: '123456' } }),
    },
  },
  REFRESH_REJECTED: {
    status: 400,
    message: 'Refresh tokens bad request',
    provoke: {
      'tokens that are none': () => testApp.call(auth.refreshTokens, { body: { accessToken: 'x', refreshToken: 'y' } }),
    },
  },
  UNAUTHORIZED: {
    status: 401,
    message: 'Unauthorized',
    provoke: {
      'no token': () => testApp.call(auth.listSessions, {}),
      'a forged token': () => testApp.call(getProfile, {}, { headers: { authorization: 'Bearer x.y.z' } }),
    },
  },
  FORBIDDEN: {
    status: 403,
    message: 'Forbidden',
    provoke: {
      'switching a needed second factor off': async () => {
        const strict = await startTestApp({ requiresStaffSecondFactor: true });
        try {
          const admin = await createUser(strict, { roleName: 'ADMIN' });
          const { freshCode } = await activateSecondFactor(strict, admin);
          const body = { password: PASSWORD, code: await freshCode() };
          return await admin.call(auth.disableSecondFactor, { body });
        } finally {
          await strict.stop();
        }
      },
    },
  },
  ACCOUNT_BLOCKED: {
    status: 403,
    message: 'Account is blocked',
    provoke: {
      'sign-in': async () => {
        const blocked = await createUser(testApp);
        await setStatus(blocked.id, 'BLOCKED');
        return signInAs(blocked.email);
      },
      'an open session': async () => {
        const blocked = await createUser(testApp);
        await setStatus(blocked.id, 'BLOCKED');
        return blocked.call(getProfile, {});
      },
    },
  },
  SECOND_FACTOR_REQUIRED: {
    status: 403,
    message: 'Second factor is required',
    provoke: {
      'sign-in': async () => {
        const owner = await createUser(testApp);
        await activateSecondFactor(testApp, owner);
        return signInAs(owner.email);
      },
    },
  },
  EMAIL_NOT_CONFIRMED: {
    status: 403,
    message: 'Email is not confirmed - {seconds}',
    provoke: {
      'sign-in': async () => {
        const email = newEmail();
        await signUpAs(email);
        return signInAs(email);
      },
      recovery: async () => {
        const email = newEmail();
        await signUpAs(email);
        return recover(email);
      },
    },
  },
  NOT_FOUND: {
    status: 404,
    message: 'Session not found',
    provoke: { 'ending a session': () => user.call(auth.revokeSession, { params: { id: randomUUID() } }) },
  },
  SESSION_NOT_FOUND: {
    status: 404,
    message: 'Session not found',
    provoke: {
      'nothing to confirm': () => resend(user.email),
      'an unknown recovery': () => testApp.call(auth.resendRecovery, { params: { sessionId: randomUUID() } }),
      'an unknown code': () => testApp.call(auth.setPassword, { body: { code: 'unknown', password: PASSWORD } }),
    },
  },
  REFERRAL_CODE_NOT_FOUND: {
    status: 404,
    message: 'Referral code not found',
    provoke: { 'sign-up': () => signUpAs(newEmail(), { referralCode: 'NOBODYS' }) },
  },
  EMAIL_EXISTS: {
    status: 409,
    message: 'Email already exists',
    provoke: { 'sign-up': () => signUpAs(user.email) },
  },
  SECOND_FACTOR_ON: {
    status: 409,
    message: 'Two-factor sign-in is already on',
    provoke: {
      'set-up': async () => {
        const owner = await createUser(testApp);
        await activateSecondFactor(testApp, owner);
        return owner.call(auth.setUpSecondFactor, { body: { password: PASSWORD } });
      },
    },
  },
  SECOND_FACTOR_OFF: {
    status: 409,
    message: 'Two-factor sign-in is not on',
    provoke: {
      'new recovery codes': () => user.call(auth.renewRecoveryCodes, { body: { password: PASSWORD, code: '123456' } }),
      'switching it off': () => user.call(auth.disableSecondFactor, { body: { password: PASSWORD, code: '123456' } }),
    },
  },
  SESSION_EXPIRED: {
    status: 410,
    message: 'Session expired',
    provoke: {
      'an old recovery': async () => {
        const { email } = await createUser(testApp);
        const { sessionId } = (await recover(email)).data;
        await testApp.database.query('update mail_codes set expired_at = now() where id = $1', [sessionId]);
        return testApp.call(auth.resendRecovery, { params: { sessionId } });
      },
    },
  },
  RATE_LIMITED: {
    status: 429,
    message: 'Too many requests',
    provoke: {
      'the sixth guess': async () => {
        const { email } = await createUser(testApp);
        for (let failure = 0; failure < 5; failure++) await signInAs(email, 'a wrong password').catch(() => {});
        return signInAs(email);
      },
    },
  },
  RESEND_INTERVAL: {
    status: 429,
    message: 'Small interval resend code - {seconds}',
    provoke: {
      confirmation: async () => {
        const email = newEmail();
        await signUpAs(email);
        return resend(email);
      },
      recovery: async () => {
        const { email } = await createUser(testApp);
        await recover(email);
        return recover(email);
      },
    },
  },
  RESEND_LIMIT: {
    status: 429,
    message: 'Limit resend code',
    provoke: {
      confirmation: async () => {
        const email = newEmail();
        await signUpAs(email);
        for (let mails = 1; mails < 6; mails++) {
          await testApp.database.query(
            `update mail_codes set created_at = created_at - interval '61 minutes'
              where user_id = (select id from users where email = $1)`,
            [email],
          );
          await resend(email);
        }
        return resend(email);
      },
    },
  },
};

const declared = Object.values(auth)
  .filter((value): value is EndpointDefinition & typeof value => typeof value === 'object' && 'access' in value)
  .flatMap(({ errors }): readonly ErrorCode[] => errors ?? []);

test('every error declared by an auth endpoint is covered here', () => {
  const missing = [...new Set<ErrorCode>([...declared, 'UNAUTHORIZED', 'VALIDATION'])].filter((code) => !cases[code]);
  expect(missing).toEqual([]);
  expect(declared.length).toBeGreaterThan(30);
});

describe.each(Object.entries(cases))('%s', (code, { status, message, provoke }) => {
  test.each(Object.entries(provoke))('%s', async (_name, attempt) => {
    const failure = await attempt().then(
      () => undefined,
      (error: ApiError) => error,
    );
    expect(failure?.body).toMatchObject({ statusCode: status, code });
    expect(failure!.status).toBe(status);
    const pattern = message.replaceAll(/[.*+?^$()[\]\\|-]/g, String.raw`\$&`).replace('{seconds}', String.raw`\d+`);
    expect(failure!.message).toMatch(new RegExp(`^${pattern}$`));
    expect(errorCatalogue[code as ErrorCode].status).toBe(status);
  });
});

test('the number in a text is the waiting time of the policy', async () => {
  const email = newEmail();
  await signUpAs(email);
  const { message } = (await resend(email).catch((error: Error) => error)) as Error;
  expect(Math.abs(Number(message.split(' - ')[1]) - waitBeforeSending([0]).waitMs / 1000)).toBeLessThan(10);
});
