import { signIn, signUp } from '@cellhop/contract/auth';
import { getProxyFilter } from '@cellhop/contract/proxies';
import { afterEach, expect, test } from 'vitest';
import { markHealthy } from '../../test/factories.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { checkInvariants } from '../db/check-invariants.ts';
import { registerNode } from '../modules/gateway/gateway.service.ts';
import { refreshCounts } from '../modules/proxies/proxies.service.ts';
import { seed } from './seed.ts';

let testApp: TestApp;
afterEach(() => testApp.stop());

const count = async () =>
  (
    await testApp.database.query<{ users: number; proxies: number; transfers: number; roles: number }>(
      `select (select count(*)::int from users) as users, (select count(*)::int from proxies) as proxies,
              (select count(*)::int from transfers) as transfers, (select count(*)::int from roles) as roles`,
    )
  )[0]!;

test('in development an empty database gets the demo once, even with concurrent processes', async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
  await Promise.all([seed(testApp.ctx), seed(testApp.ctx), seed(testApp.ctx)]);
  await seed(testApp.ctx);
  expect(await count()).toEqual({ users: 3, proxies: 500, transfers: 1, roles: 4 });
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  const faqs = await testApp.database.query(
    'select language_code as "languageCode", count(*)::int as count from faqs group by 1 order by 1',
  );
  expect(faqs).toEqual([
    { languageCode: 'en', count: 12 },
    { languageCode: 'ru', count: 12 },
  ]);
  // Which currencies there are depends on the settings.
  expect(
    await testApp.database.query(`select question from faqs where response ~ '\\m(BTC|ETH|LTC|TRX|TON|USDT)\\M'`),
  ).toEqual([]);
  // Nothing is for sale before its exit is checked.
  await markHealthy(testApp);
  const countFree = async () => {
    await refreshCounts(testApp.ctx);
    const [counts] = await testApp.database.query<{ body: string }>('select body from proxy_counts');
    const { data: filter } = getProxyFilter.response.parse(JSON.parse(counts!.body));
    return Object.values(filter.country).reduce((sum, free) => sum + free, 0);
  };
  await expect.poll(countFree).toBe(500);

  const enter = async (email: string) =>
    (await testApp.call(signIn, { body: { email, password: 'demo-password' } })).data.profile;
  expect(await enter('user@example.com')).toMatchObject({ balance: 25, role: { name: 'USER' } });
  expect(await enter('support@example.com')).toMatchObject({ role: { name: 'SUPPORT' } });
  const admin = await enter('admin@example.com');
  expect(admin.role.name).toBe('ADMIN');

  const body = {
    languageCode: 'en',
    email: 'new@example.com',
    password: 'long enough',
    referralCode: 'welcome',
  } as const;
  await testApp.call(signUp, { body });
  const rows = await testApp.database.query<{ referrerId: string; trialMicros: bigint }>(
    `select referrer_id as "referrerId", trial_credit_micros as "trialMicros"
       from users join promo_codes on promo_codes.id = promo_code_id where email = 'new@example.com'`,
  );
  expect(rows).toEqual([{ referrerId: admin.id, trialMicros: 1_000_000n }]);
});

test('production only gets the roles, and keeps changes and deletions of roles by staff', async () => {
  testApp = await startTestApp({ isDevelopment: false, smtpUrl: 'smtp://127.0.0.1:1' });
  await testApp.database.query(`update roles set permissions = '{FAQ_READ}' where name = 'SUPPORT'`);
  await testApp.database.query(`delete from roles where name = 'FINANCE'`);
  await seed(testApp.ctx);
  expect(await count()).toEqual({ users: 0, proxies: 0, transfers: 0, roles: 3 });
  const rows = await testApp.database.query(`select permissions from roles where name = 'SUPPORT'`);
  expect(rows).toEqual([{ permissions: ['FAQ_READ'] }]);
});
