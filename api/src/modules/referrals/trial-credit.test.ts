import { signUp } from '@cellhop/contract/auth';
import { createPromoCode, listPromoCodes } from '@cellhop/contract/staff/promo-codes';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entriesOf } from '../../../test/audit-log.ts';
import { createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { newestLink, pressConfirm, startTestAppWithMail } from '../../../test/mail.ts';
import { offer, REASON } from '../../../test/staff-requests.ts';
import type { TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';

let testApp: TestApp;
let owner: TestUser;
let admin: TestUser;
beforeAll(async () => {
  // Credits of many codes, whose author has no second person.
  testApp = await startTestAppWithMail({ approvalMicros: undefined });
  owner = await createUser(testApp);
  admin = await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

const newName = () => randomBytes(6).toString('hex');

const newCode = (terms: { trialCredit?: number; trialCreditsMax?: number; budget?: number } = {}) =>
  offer(admin, owner, terms);

async function signUpWith(referralCode: string, email: string): Promise<URL> {
  await testApp.call(signUp, { body: { languageCode: 'en', password: PASSWORD, referralCode, email } });
  return newestLink(testApp, email.toLowerCase());
}

const press = (link: URL) => pressConfirm(testApp, link);

async function creditsOf(emails: readonly string[]): Promise<number[]> {
  const rows = await testApp.database.query<{ balanceMicros: bigint }>(
    `select balance_micros as "balanceMicros" from users join accounts on accounts.id = account_id
      where email = any($1) order by array_position($1, email)`,
    [emails.map((email) => email.toLowerCase())],
  );
  return rows.map(({ balanceMicros }) => Number(balanceMicros) / 1e6);
}

/** Signs all of them up, then confirms all concurrently. */
async function confirmAtOnce(referralCode: string, emails: readonly string[]): Promise<void> {
  const links: URL[] = [];
  for (const email of emails) links.push(await signUpWith(referralCode, email));
  const answers = await Promise.all(links.map(press));
  expect(answers.map(({ status }) => status)).toEqual(emails.map(() => 302));
}

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);

describe('the trial credit', () => {
  test('is granted once per mailbox with many tags, even with concurrent confirmations', async () => {
    const { code } = await newCode();
    const name = newName();
    const emails = Array.from({ length: 6 }, (_, index) => `${name}+${index}@example.com`);
    await confirmAtOnce(code, [`${name}@example.com`, ...emails]);
    expect(sum(await creditsOf([`${name}@example.com`, ...emails]))).toBe(1);
  });

  test('is granted once per Gmail mailbox, in any notation', { tags: ['thorough'] }, async () => {
    const { code } = await newCode();
    const name = newName();
    const emails = [
      `${name}@gmail.com`,
      `${name.split('').join('.')}@googlemail.com`,
      `${name.slice(0, 3)}.${name.slice(3)}+x@GMAIL.com`,
    ];
    await confirmAtOnce(code, emails);
    expect(sum(await creditsOf(emails))).toBe(1);
  });

  test('is granted once per mailbox, also with different promo codes', async () => {
    const name = newName();
    for (const tag of ['', '+second'])
      await press(await signUpWith((await newCode()).code, `${name}${tag}@example.com`));
    expect(await creditsOf([`${name}@example.com`, `${name}+second@example.com`])).toEqual([1, 0]);
  });

  test(
    'is granted to other mailboxes: with dots on other domains, on other domains, without a name before the plus',
    { tags: ['thorough'] },
    async () => {
      const { code } = await newCode();
      const name = newName();
      const emails = [
        `a.${name}@example.com`,
        `a${name}@example.com`,
        `a${name}@example.org`,
        `+${name}@example.com`,
        `+a${name}@example.com`,
      ];
      await confirmAtOnce(code, emails);
      expect(await creditsOf(emails)).toEqual([1, 1, 1, 1, 1]);
    },
  );

  test('can still be granted by another code if the first one was used up', async () => {
    const name = newName();
    const spent = await newCode({ trialCreditsMax: 0 });
    await press(await signUpWith(spent.code, `${name}@example.com`));
    await press(await signUpWith((await newCode()).code, `${name}+again@example.com`));
    expect(await creditsOf([`${name}@example.com`, `${name}+again@example.com`])).toEqual([0, 1]);
  });
});

const create = (code: string, referralEmail: string) => admin.call(createPromoCode, { body: { code, referralEmail } });
const people = () => Array.from({ length: 8 }, () => `${newName()}@example.com`);
const shown = async (id: string) =>
  (await admin.call(listPromoCodes, { query: { userId: owner.id, size: 100 } })).data.find((code) => code.id === id);

describe('a promo code', () => {
  test(
    'grants at most its maximum of credits, even with concurrent confirmations; all users are confirmed',
    { tags: ['thorough'] },
    async () => {
      const { id, code } = await newCode({ trialCreditsMax: 3 });
      const emails = people();
      await confirmAtOnce(code, emails);
      expect(sum(await creditsOf(emails))).toBe(3);
      expect(await shown(id)).toMatchObject({ trialCreditsCount: 3, credited: 3, registeredUsersCount: 8 });
    },
  );

  test('grants full credits within its budget only', { tags: ['thorough'] }, async () => {
    const { id, code } = await newCode({ trialCredit: 0.4, budget: 1 });
    const emails = people();
    await confirmAtOnce(code, emails);
    expect((await creditsOf(emails)).filter((credit) => credit > 0)).toEqual([0.4, 0.4]);
    expect(await shown(id)).toMatchObject({ trialCreditsCount: 2, credited: 0.8, budget: 1 });
  });

  test('is refused by the database beyond its limits', async () => {
    const { id } = await newCode({ trialCreditsMax: 1, budget: 5 });
    const set = (assignment: string) =>
      testApp.database.query(`update promo_codes set ${assignment} where id = $1`, [id]);
    await expect(set('credit_count = 2')).rejects.toMatchObject({ constraint: 'credits_within_maximum' });
    await expect(set('credited_micros = 5000001')).rejects.toMatchObject({ constraint: 'credits_within_budget' });
  });

  test('is created by staff with its limits, recorded in the audit log, and listed for one user or all', async () => {
    const made = await newCode({ trialCredit: 2.5, trialCreditsMax: 10, budget: 20 });
    expect(made).toEqual({
      id: expect.any(String),
      code: expect.stringMatching(/^[0-9A-F]{12}$/),
      status: 'ACTIVE',
      registeredUsersCount: 0,
      createdAt: expect.any(String),
      expiredAt: null,
      referral: { id: owner.id, email: owner.email },
      trialCredit: 2.5,
      trialCreditsMax: 10,
      budget: 20,
      trialCreditsCount: 0,
      credited: 0,
      heldBecause: null,
      version: 0,
    });
    expect(await shown(made.id)).toEqual(made);
    expect((await admin.call(listPromoCodes, { query: {} })).data[0]).toEqual(made);
    const other = await createUser(testApp);
    expect((await admin.call(listPromoCodes, { query: { userId: other.id } })).data).toEqual([]);
    expect(await entriesOf(testApp, made.id)).toMatchObject([
      {
        action: 'PROMO_CODE_CREATED',
        actorId: admin.id,
        details: {
          reason: REASON,
          after: { code: made.code, trialCredit: 2.5, trialCreditsMax: 10, budget: 20, expiredAt: null },
        },
      },
    ]);
  });

  test('requires a code that is not taken, also not as a referral code, and an owner', async () => {
    const { code } = await newCode();
    for (const taken of [code.toLowerCase(), owner.referralCode])
      await expect(create(taken, owner.email)).rejects.toMatchObject({
        status: 409,
        code: 'CODE_EXISTS',
        message: 'Code is already exist',
      });
    await expect(create(newName(), 'nobody@example.com')).rejects.toMatchObject({
      status: 404,
      code: 'REFERRAL_NOT_FOUND',
      message: 'Referral not found',
    });
  });

  test('takes precedence over an equal referral code', async () => {
    const [user, promoOwner] = [await createUser(testApp), await createUser(testApp)];
    await testApp.database.query('insert into promo_codes (code, user_id) values ($1, $2)', [
      user.referralCode,
      promoOwner.id,
    ]);
    const email = `${newName()}@example.com`;
    await signUpWith(user.referralCode, email);
    const [row] = await testApp.database.query('select referrer_id as id from users where email = $1', [email]);
    expect(row).toEqual({ id: promoOwner.id });
  });
});
