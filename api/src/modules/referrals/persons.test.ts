/**
 * A person is a mailbox with all addresses that reach it, and stays one after the account is deleted.
 * @module-tag thorough
 */
import { signUp } from '@cellhop/contract/auth';
import { deleteUser, listRelatedUsers } from '@cellhop/contract/staff/users';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { balanceOf, createUser, defaultExit, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { newestLink, startTestAppWithMail } from '../../../test/mail.ts';
import { adjust, offer } from '../../../test/staff-requests.ts';
import type { TestApp } from '../../../test/test-app.ts';
import { confirmEmail } from '../auth/confirmation.service.ts';

const NETWORK_LIMIT = 4;

let testApp: TestApp;
let admin: TestUser;
let code: string;
beforeAll(async () => {
  testApp = await startTestAppWithMail();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  ({ code } = await offer(admin, await createUser(testApp), { trialCredit: 1, trialCreditsMax: 50, budget: 50 }));
});
afterAll(() => testApp.stop());

/** Each has a sum of the day of their own. */
const newAdmin = () => createUser(testApp, { roleName: 'ADMIN' });
const newName = () => `n${randomBytes(6).toString('hex')}`;

/** Signs up and confirms. @returns the trial credit, in dollars */
async function creditOf(email: string, ip = '192.0.2.1', isCounted = false): Promise<number> {
  const body = { languageCode: 'en', password: PASSWORD, referralCode: code, email } as const;
  await testApp.call(signUp, { body }, { headers: { 'x-forwarded-for': ip } });
  const link = await newestLink(testApp, email);
  const config = { ...testApp.ctx.config, isDevelopment: !isCounted, trialCreditsPerNetwork: NETWORK_LIMIT };
  const requester = { ip, userAgent: undefined, requestId: 'a request' };
  const { confirmation } = await confirmEmail(
    { ...testApp.ctx, config, tx: (work, options) => testApp.ctx.tx((ctx) => work({ ...ctx, config }), options) },
    link.searchParams.get('code')!,
    undefined,
    requester,
  );
  expect(confirmation).toBe('DONE');
  const [row] = await testApp.database.query<{ micros: bigint }>(
    'select balance_micros as micros from users join accounts on accounts.id = account_id where email = $1',
    [email],
  );
  return Number(row!.micros) / 1e6;
}

const remove = async (email: string) => {
  const [row] = await testApp.database.query<{ id: string; accountId: bigint }>(
    'select id, account_id as "accountId" from users where email = $1',
    [email],
  );
  const balance = Number(await balanceOf(testApp, row as unknown as TestUser)) / 1e6;
  if (balance > 0) await adjust(await newAdmin(), row!, -balance);
  await admin.call(deleteUser, { params: { id: row!.id }, body: { reason: 'as they wish' } });
  return row!.id;
};

test.each([
  ['gmail.com', (name: string) => [`${name}@googlemail.com`, `${name.slice(0, 3)}.${name.slice(3)}+shop@gmail.com`]],
  [
    'yandex.ru',
    (name: string) => ['ya.ru', 'yandex.com', 'yandex.by', 'yandex.kz'].map((domain) => `${name}@${domain}`),
  ],
  ['proton.me', (name: string) => [`${name}@pm.me`, `${name.slice(0, 3)}-${name.slice(3)}@protonmail.com`]],
  ['icloud.com', (name: string) => [`${name}@me.com`, `${name}@mac.com`]],
  ['fastmail.com', (name: string) => [`shop@${name}.fastmail.com`, `${name}+shop@fastmail.com`]],
  ['outlook.com', (name: string) => [`${name}+shop@outlook.com`]],
])('a mailbox at %s has one trial credit', async (domain, others) => {
  const name = newName();
  expect(await creditOf(`${name}@${domain}`)).toBe(1);
  for (const email of others(name)) expect([email, await creditOf(email)]).toEqual([email, 0]);
});

test('other mailboxes are other persons', async () => {
  const name = newName();
  const [start, end] = [name.slice(0, 3), name.slice(3)];
  // Yandex treats dashes as dots, but ignores neither; separators of other providers make another name.
  for (const email of [`${start}.${end}@yandex.ru`, `${start}${end}@yandex.ru`, `${start}.${end}@icloud.com`])
    expect([email, await creditOf(email)]).toEqual([email, 1]);
  expect(await creditOf(`${start}-${end}@ya.ru`)).toBe(0);
  expect(await creditOf(`${name}@hotmail.com`)).toBe(1);
});

test('staff see accounts of one mailbox as related', async () => {
  const name = newName();
  const [one, other] = [
    await createUser(testApp, { email: `${name.slice(0, 4)}-${name.slice(4)}@yandex.ru` }),
    await createUser(testApp, { email: `${name.slice(0, 4)}.${name.slice(4)}@ya.ru` }),
  ];
  const { data } = await admin.call(listRelatedUsers, { params: { id: one.id } });
  expect(data.filter(({ relation }) => relation === 'SAME_PERSON').map(({ id }) => id)).toEqual([other.id]);
});

describe('after an account was deleted', () => {
  test('its mailbox gets no second credit, and its address is nowhere', async () => {
    const name = newName();
    await creditOf(`${name}@proton.me`);
    const id = await remove(`${name}@proton.me`);
    expect(await creditOf(`${name}@pm.me`)).toBe(0);
    const rows = await testApp.database.query<{ text: string }>(
      `select (select trial_credits::text from trial_credits where user_id = $1) || users::text as text from users where id = $1`,
      [id],
    );
    expect(rows[0]!.text).not.toContain(name);
  });

  test('what it received counts for the next account of its owner', async () => {
    const name = newName();
    const first = await createUser(testApp, { email: `${name}@yandex.ru` });
    for (const amount of [40, -40]) await adjust(await newAdmin(), first, amount);
    await remove(`${name}@yandex.ru`);
    const next = await createUser(testApp, { email: `${name}@ya.ru` });
    expect((await adjust(await newAdmin(), next, 40)).status).toBe('PENDING');
    expect((await adjust(await newAdmin(), await createUser(testApp), 40)).status).toBe('APPLIED');
  });
});

describe('trial credits', () => {
  test('of one network are few in a day', async () => {
    const credits: number[] = [];
    for (let count = 0; count < NETWORK_LIMIT + 2; count += 1)
      credits.push(await creditOf(`${newName()}@example.com`, '198.51.100.7', true));
    expect(credits).toEqual([1, 1, 1, 1, 0, 0]);
    expect(await creditOf(`${newName()}@example.com`, '198.51.100.8', true)).toBe(1);
  });

  test('are not for who comes through an exit of the shop, now or until a day ago', async () => {
    const exitId = await defaultExit(testApp);
    await testApp.database.query(
      `insert into exit_addresses (exit_id, address, since, until) values
       ($1, '203.0.113.50', now() - interval '2 days', null),
       ($1, '203.0.113.51', now() - interval '3 days', now() - interval '12 hours'),
       ($1, '203.0.113.52', now() - interval '5 days', now() - interval '2 days'),
       ($1, '127.0.0.1', now() - interval '6 days', now())`,
      [exitId],
    );
    const credits = [];
    for (const ip of ['203.0.113.50', '203.0.113.51', '203.0.113.52', '127.0.0.1'])
      credits.push(await creditOf(`${newName()}@example.com`, ip));
    expect(credits).toEqual([0, 0, 1, 1]);
  });
});
