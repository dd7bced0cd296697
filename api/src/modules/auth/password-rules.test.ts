import { changePassword, setPassword, signIn, signUp } from '@cellhop/contract/auth';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { requireStrongPassword } from './password-rules.ts';
import { hashPassword, knownUser } from './passwords.ts';

let testApp: TestApp;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  user = await createUser(testApp);
});
afterAll(() => testApp.stop());

const weak = [
  'aaaaaaaa',
  '        ',
  '\u00A0'.repeat(9),
  'abababab',
  'AbcAbcAbc',
  'test'.repeat(3),
  'abcdefgh',
  'ABCDefgh',
  '98765432',
  'пппппппп',
  '🔑'.repeat(8),
  'password1',
  ' password1 ',
  'Cellhop1',
  'cellhop2026!',
  '1cellhop',
  'cell hop 1',
];

describe('a weak password', () => {
  test.each(weak)('"%s" is refused at sign-up, recovery and change', async (password) => {
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    const refused = { status: 400, code: 'VALIDATION', body: { details: [{ path: 'body.password' }] } };
    const account = { languageCode: 'en', email, password, referralCode: user.referralCode } as const;
    await expect(testApp.call(signUp, { body: account })).rejects.toMatchObject(refused);
    await expect(user.call(changePassword, { body: { currentPassword: PASSWORD, password } })).rejects.toMatchObject(
      refused,
    );
    expect(() => requireStrongPassword(password, email, 'Cellhop')).toThrow('not valid');
  });

  test('is refused with a recovery link too, before the link is checked', async () => {
    await expect(testApp.call(setPassword, { body: { code: 'x', password: 'aaaaaaaa' } })).rejects.toMatchObject({
      code: 'VALIDATION',
    });
  });

  test("is compared with the operator's brand name", () => {
    expect(() => requireStrongPassword('My Proxies 24', 'a@example.com', 'My Proxies')).toThrow('not valid');
    expect(() => requireStrongPassword('Cellhop1', 'a@example.com', 'My Proxies')).not.toThrow();
  });

  test('still works for an account that already has it', async () => {
    const owner = await createUser(testApp);
    await testApp.database.query('update users set password_hash = $2 where id = $1', [
      owner.id,
      await hashPassword('aaaaaaaa', knownUser('the test')),
    ]);
    const { data } = await testApp.call(signIn, { body: { email: owner.email, password: 'aaaaaaaa' } });
    expect(data.profile.id).toBe(owner.id);
  });
});

test.each([
  'cellhopper on holiday',
  'my cellhop account',
  'aaaabbbbcccdx',
  '13579bdf',
  'correct horse',
  'пароль от дома',
])('"%s" is accepted', (password) => {
  expect(() => requireStrongPassword(password, 'a@example.com', 'Cellhop')).not.toThrow();
});
