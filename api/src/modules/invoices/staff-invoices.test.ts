import { listAllInvoices } from '@cellhop/contract/staff/invoices';
import type { ClientInput } from '@cellhop/contract/endpoint';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { letExpire, newInvoice, pay } from '../../../test/sandbox-payments.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { expireInvoices } from './watch.service.ts';

let testApp: TestApp;
let staff: TestUser;
let user: TestUser;
/** Oldest first. */
const ids: string[] = [];
beforeAll(async () => {
  testApp = await startTestApp();
  staff = await createUser(testApp, { roleName: 'FINANCE' });
  user = await createUser(testApp);
  const paid = await newInvoice(user, 'BTC', 25);
  await pay(testApp, paid);
  const expired = await newInvoice(user, 'LTC', 10.5);
  await letExpire(testApp, expired);
  await expireInvoices(testApp.ctx);
  const open = await newInvoice(user, 'USDT_TRC20', 10.500001);
  // Whole hours apart, in this order.
  for (const [age, { id }] of [expired, paid, open].toReversed().entries())
    await testApp.database.query(`update invoices set created_at = now() - $2 * interval '1 hour' where id = $1`, [
      id,
      age,
    ]);
  ids.push(expired.id, paid.id, open.id);
});
afterAll(() => testApp.stop());

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

test.each<[Omit<ClientInput<typeof listAllInvoices>['query'], 'userId'>, number[]]>([
  [{}, [2, 1, 0]],
  [{ sort: 'createdAt' }, [0, 1, 2]],
  [{ sort: 'amount' }, [0, 2, 1]],
  [{ sort: '-amount' }, [1, 2, 0]],
  [{ status: ['PAID'] }, [1]],
  [{ status: ['PAID', 'EXPIRED'] }, [1, 0]],
  [{ currency: ['LTC', 'USDT_TRC20'] }, [2, 0]],
  [{ from: hoursAgo(1.5) }, [2, 1]],
  [{ from: hoursAgo(1.5), to: hoursAgo(0.5) }, [1]],
  [{ amountMin: 10.500001 }, [2, 1]],
  [{ amountMax: 10.5 }, [0]],
  [{ amountMin: 10.5, amountMax: 24.99, currency: ['LTC'] }, [0]],
  [{ size: 2, page: 2 }, [0]],
])('the filter %j finds its invoices in order', async (query, expected) => {
  const { data } = await staff.call(listAllInvoices, { query: { ...query, userId: user.id } });
  expect(data.map(({ id }) => ids.indexOf(id))).toEqual(expected);
});

test.each([
  { status: ['LOST'] },
  { currency: ['DOGE'] },
  { amountMin: -1 },
  { from: 'x' },
  { sort: 'email' },
  { page: 10_001 },
])('refuses %j', async (query) => {
  await expect(staff.call(listAllInvoices, { query: query as never })).rejects.toMatchObject({ status: 400 });
});
