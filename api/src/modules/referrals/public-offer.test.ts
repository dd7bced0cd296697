import { getSettings } from '@cellhop/contract/settings';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser } from '../../../test/factories.ts';
import { startSecondApp, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { loadConfig } from '../../process/config.ts';

let testApp: TestApp;
let ownerId: string;
beforeAll(async () => {
  testApp = await startTestApp({ publicPromoCode: undefined });
  ownerId = (await createUser(testApp)).id;
});
afterAll(() => testApp.stop());

async function addCode(code: string, terms: { credit?: bigint; max?: number; used?: number; budget?: bigint } = {}) {
  const { credit = 1_000_000n, max = 10, used = 0, budget = 10_000_000n } = terms;
  await testApp.database.query(
    `insert into promo_codes (code, user_id, trial_credit_micros, credits_max, credit_count, budget_micros, credited_micros)
     values ($1, $2, $3::bigint, $4, $5::integer, $6, $5::integer * $3::bigint)`,
    [code, ownerId, credit, max, used, budget],
  );
}

/** What a process with the setting shows: each reads the code when it is asked first. */
async function offerOf(publicPromoCode: string) {
  const app = await startSecondApp(testApp, { publicPromoCode });
  try {
    return (await app.call(getSettings, {})).data.offer;
  } finally {
    await app.stop();
  }
}

test('there is no offer without the setting', async () => {
  expect((await testApp.call(getSettings, {})).data.offer).toBeNull();
});

test('the offer is the credit of the code', async () => {
  await addCode('TRY-IT_1');
  expect(await offerOf('try-it_1')).toEqual({ code: 'TRY-IT_1', credit: 1 });
});

test.each([
  ['has no credit', 'NOTHING', { credit: 0n }],
  ['was used as often as it may be', 'FULL1', { max: 3, used: 3 }],
  ['has spent its budget', 'SPENT', { used: 2, budget: 2_500_000n }],
] as const)(
  'a code that %s still lets visitors sign up, without a credit',
  { tags: ['thorough'] },
  async (_, code, terms) => {
    await addCode(code, terms);
    expect(await offerOf(code)).toEqual({ code, credit: null });
  },
);

test.each([
  ['is unknown', 'UNKNOWN', undefined],
  ['is disabled', 'CLOSED', `update promo_codes set status = 'DISABLED' where code = $1`],
  ['has expired', 'ENDED', `update promo_codes set expired_at = now() where code = $1`],
])('a code that %s is no offer', async (_, code, change) => {
  if (change !== undefined) {
    await addCode(code);
    await testApp.database.query(change, [code]);
  }
  expect(await offerOf(code)).toBeNull();
});

test('requests of many visitors read the code once', { tags: ['thorough'] }, async () => {
  await addCode('MANY1');
  const app = await startSecondApp(testApp, { publicPromoCode: 'MANY1' });
  try {
    const offers = () => Promise.all(Array.from({ length: 20 }, () => app.call(getSettings, {})));
    await offers();
    await testApp.database.query(`update promo_codes set status = 'DISABLED' where code = 'MANY1'`);
    for (const { data } of await offers()) expect(data.offer).toMatchObject({ code: 'MANY1' });
  } finally {
    await app.stop();
  }
});

test('the demo offers its own code; a code that staff could not create is refused', () => {
  const environment = {
    DATABASE_URL: 'postgres://localhost/x',
    SECRET_KEY: 'x'.repeat(40),
    GATEWAY_TOKEN: 'x'.repeat(20),
  };
  expect(loadConfig(environment).publicPromoCode).toBe('WELCOME');
  expect(loadConfig({ ...environment, PUBLIC_PROMO_CODE: 'HELLO-1' }).publicPromoCode).toBe('HELLO-1');
  expect(() => loadConfig({ ...environment, PUBLIC_PROMO_CODE: 'ДРУГ1' })).toThrow(/PUBLIC_PROMO_CODE/);
});
