import { listAllInvoices } from '@cellhop/contract/staff/invoices';
import { payInvoice } from '@cellhop/contract/development';
import type { AppError } from '@cellhop/contract/errors';
import { createInvoice, listInvoices, type CreateInvoiceBody } from '@cellhop/contract/invoices';
import { currencies } from '@cellhop/contract/invoices.values';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { letExpire, newInvoice, pay, reload } from '../../../test/sandbox-payments.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { sandboxRates } from '../../dev/sandbox.ts';
import * as invoices from './invoices.service.ts';
import { expireInvoices } from './watch.service.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
afterEach(() => {
  vi.restoreAllMocks();
});

const MINUTE_MS = 60_000;

describe('createInvoice', () => {
  test.each([
    ['BTC', '0.00025000', 'btc', 15],
    ['ETH', '0.006250', 'evm', 15],
    ['LTC', '0.25000000', 'ltc', 15],
    ['TRX', '100.00', 'tron', 15],
    ['TON', '10.000', 'ton', 15],
    ['USDT_TRC20', '25.00', 'tron', 60],
    ['USDT_ERC20', '25.00', 'evm', 60],
    ['USDT_BSC', '25.00', 'evm', 60],
    ['USDT_TON', '25.00', 'ton', 60],
  ] as const)(
    'asks for %s: $25 are %s, to an address of %s, within %i minutes',
    async (currency, due, space, minutes) => {
      const user = await createUser(testApp);
      const { data } = await user.call(createInvoice, { body: { currency, amount: 25 } });
      expect(data).toMatchObject({ currency, amount: 25, amountInCurrency: due, status: 'PENDING', isSandbox: true });
      expect(data.address).toMatch(new RegExp(`^sandbox-${space}-[0-9a-f]{32}$`));
      expect(Date.parse(data.expiredAt) - Date.parse(data.createdAt)).toBe(minutes * MINUTE_MS);
      expect((await user.call(listInvoices, { query: {} })).data).toEqual([data]);
    },
  );

  test('every currency is tested above', () => {
    expect(currencies).toHaveLength(9);
  });

  test('accepts 5 dollars, and fractions of a cent', async () => {
    const user = await createUser(testApp);
    expect((await newInvoice(user, 'USDT_TRC20', 5)).amountInCurrency).toBe('5.00');
    expect(await newInvoice(user, 'USDT_TRC20', 5.000001)).toMatchObject({
      amount: 5.000001,
      amountInCurrency: '5.01',
    });
  });

  test.each([
    [{ currency: 'BTC', amount: 4.999999 }, 'body.amount'],
    [{ currency: 'BTC', amount: 100_000.01 }, 'body.amount'],
    [{ currency: 'BTC', amount: 5.0000001 }, 'body.amount'],
    [{ currency: 'BTC', amount: '25' }, 'body.amount'],
    [{ currency: 'BTC' }, 'body.amount'],
    [{ currency: 'DOGE', amount: 25 }, 'body.currency'],
    [{ amount: 25 }, 'body.currency'],
    [{ currency: 'BTC', amount: 25, userId: randomUUID() }, 'body.userId'],
  ])('refuses %j and names %s', async (body, path) => {
    const user = await createUser(testApp);
    await expect(user.call(createInvoice, { body: body as CreateInvoiceBody })).rejects.toMatchObject({
      status: 400,
      code: 'VALIDATION',
      body: { details: [{ path }] },
    });
  });

  test('requires a signed-in user', async () => {
    await expect(testApp.call(createInvoice, { body: { currency: 'BTC', amount: 25 } })).rejects.toMatchObject({
      status: 401,
      code: 'UNAUTHORIZED',
    });
  });

  test('closes only the open invoice in the same currency', async () => {
    const user = await createUser(testApp);
    const stranger = await createUser(testApp);
    const [first, other, foreign] = [await newInvoice(user), await newInvoice(user, 'LTC'), await newInvoice(stranger)];
    const second = await newInvoice(user);
    const ended = await reload(user, first);
    expect(ended.status).toBe('EXPIRED');
    expect(Date.parse(ended.expiredAt)).toBeLessThanOrEqual(Date.parse(second.createdAt));
    for (const [owner, invoice] of [
      [user, second],
      [user, other],
      [stranger, foreign],
    ] as const)
      expect((await reload(owner, invoice)).status).toBe('PENDING');
  });

  test('leaves one open invoice after ten concurrent requests', async () => {
    const user = await createUser(testApp);
    await Promise.all(Array.from({ length: 10 }, () => newInvoice(user, 'TON')));
    const { data } = await user.call(listInvoices, { query: {} });
    expect(data.map((invoice) => invoice.status).toSorted()).toEqual([...Array<string>(9).fill('EXPIRED'), 'PENDING']);
  });

  test('gives a new address on Bitcoin and Litecoin once the last one was paid to, and reuses it until then', async () => {
    const [user, stranger] = [await createUser(testApp), await createUser(testApp)];
    for (const currency of ['BTC', 'LTC'] as const) {
      const first = await newInvoice(user, currency);
      const second = await newInvoice(user, currency);
      expect(second.address).toBe(first.address);
      expect((await newInvoice(stranger, currency)).address).not.toBe(first.address);
      await pay(testApp, second);
      expect((await newInvoice(user, currency)).address).not.toBe(first.address);
    }
  });

  test('derives one address for a user who never pays', async () => {
    const user = await createUser(testApp);
    for (let count = 0; count < 40; count++) await newInvoice(user, 'BTC');
    const rows = await testApp.database.query(
      `select from deposit_addresses where user_id = $1 and address_space = 'btc'`,
      [user.id],
    );
    expect(rows).toHaveLength(1);
  });

  test('gives each user one address on account-based chains', async () => {
    const user = await createUser(testApp);
    const stranger = await createUser(testApp);
    const address = (await newInvoice(user, 'ETH')).address;
    expect((await newInvoice(user, 'USDT_BSC')).address).toBe(address);
    expect((await newInvoice(user, 'ETH')).address).toBe(address);
    expect((await newInvoice(stranger, 'ETH')).address).not.toBe(address);
  });

  test('is refused while there is no rate', async () => {
    const user = await createUser(testApp);
    vi.spyOn(sandboxRates, 'rateE12').mockResolvedValue(undefined);
    await expect(newInvoice(user)).rejects.toMatchObject({ status: 503, code: 'RATE_UNAVAILABLE' });
  });

  test('keeps its initial rate', async () => {
    const user = await createUser(testApp);
    const rateE12 = vi.spyOn(sandboxRates, 'rateE12').mockResolvedValue(30_000n * 10n ** 12n);
    const invoice = await newInvoice(user, 'BTC', 10);
    rateE12.mockRestore();
    // Rounded up: 10 / 30000 = 0.000333...
    expect((await reload(user, invoice)).amountInCurrency).toBe('0.00033334');
  });
});

describe('limits', () => {
  test('apply to the invoices of one user per hour', async () => {
    const limited = await startTestApp({ invoicesPerHour: 2 });
    const [user, other] = [await createUser(limited), await createUser(limited)];
    await newInvoice(user);
    await newInvoice(user);
    await expect(newInvoice(user)).rejects.toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    const refusal: unknown = await invoices
      .createInvoice(limited.ctx, { userId: user.id }, { currency: 'BTC', amount: 5 })
      .catch((error: unknown) => error);
    // The Retry-After header.
    expect((refusal as AppError).retryAfterSeconds).toBeGreaterThan(3500);
    expect((refusal as AppError).retryAfterSeconds).toBeLessThanOrEqual(3600);
    expect((await user.call(listInvoices, { query: {} })).data).toHaveLength(2);
    await newInvoice(other);
    await limited.database.query(`update invoices set created_at = created_at - interval '61 minutes'`);
    await newInvoice(user);
    await limited.stop();
  });

  test('the sandbox is not available in production', async () => {
    const production = await startTestApp({ isDevelopment: false });
    const user = await createUser(production);
    for (const currency of currencies)
      await expect(newInvoice(user, currency)).rejects.toMatchObject({ status: 503, code: 'CURRENCY_UNAVAILABLE' });
    await expect(production.call(payInvoice, { params: { id: randomUUID() }, body: {} })).rejects.toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
    });
    await production.stop();
  });
});

describe('listInvoices', () => {
  test("shows the user's own invoices in pages, newest first", async () => {
    const user = await createUser(testApp);
    await newInvoice(await createUser(testApp));
    const made = [];
    for (const currency of ['BTC', 'ETH', 'LTC'] as const) made.push((await newInvoice(user, currency)).id);
    const first = await user.call(listInvoices, { query: { size: 2 } });
    const second = await user.call(listInvoices, { query: { size: 2, page: 2 } });
    expect([first.totalPages, second.totalPages]).toEqual([2, 2]);
    expect([...first.data, ...second.data].map((invoice) => invoice.id)).toEqual(made.toReversed());
    expect((await user.call(listInvoices, { query: { size: 2, page: 3 } })).data).toEqual([]);
  });

  test('finds an own invoice by its id, regardless of its page, and none of another user', async () => {
    const [user, other] = await Promise.all([createUser(testApp), createUser(testApp)]);
    const { id } = await newInvoice(user, 'BTC');
    await newInvoice(user, 'ETH');
    const find = (asking: TestUser) => asking.call(listInvoices, { query: { id } });
    expect(await find(user)).toMatchObject({ data: [{ id }], totalPages: 1 });
    expect(await find(other)).toEqual({ data: [], totalPages: 0 });
  });

  test('has no pages for a user without invoices', async () => {
    const user = await createUser(testApp);
    expect(await user.call(listInvoices, { query: {} })).toEqual({ data: [], totalPages: 0 });
  });

  test.each([{ page: 0 }, { page: -1 }, { page: 1.5 }, { size: 0 }, { size: 101 }])('refuses %j', async (query) => {
    const user = await createUser(testApp);
    await expect(user.call(listInvoices, { query })).rejects.toMatchObject({ status: 400, code: 'VALIDATION' });
  });

  test('requires a signed-in user', async () => {
    await expect(testApp.call(listInvoices, { query: {} })).rejects.toMatchObject({ status: 401 });
  });
});

describe('listAllInvoices', () => {
  test('shows staff the invoices of one user or of all, with the user', async () => {
    const staff = await createUser(testApp, { roleName: 'FINANCE' });
    const user = await createUser(testApp);
    const invoice = await newInvoice(user);
    const one = await staff.call(listAllInvoices, { query: { userId: user.id } });
    expect(one).toMatchObject({ data: [{ ...invoice, user: { id: user.id, email: user.email } }], totalPages: 1 });
    await newInvoice(await createUser(testApp));
    const all = await staff.call(listAllInvoices, { query: { size: 2 } });
    expect(new Set(all.data.map((item) => item.user.id)).size).toBe(2);
    expect(await staff.call(listAllInvoices, { query: { userId: randomUUID() } })).toMatchObject({
      data: [],
      totalPages: 0,
    });
  });

  test('is forbidden without the permission or a token', async () => {
    for (const roleName of ['USER', 'SUPPORT']) {
      const user = await createUser(testApp, { roleName });
      await expect(user.call(listAllInvoices, { query: {} })).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
    }
    await expect(testApp.call(listAllInvoices, { query: {} })).rejects.toMatchObject({ status: 401 });
  });
});

describe('expireInvoices', () => {
  test('expires only unpaid invoices after their expiry time', async () => {
    const user = await createUser(testApp);
    const old = await newInvoice(user, 'BTC');
    const young = await newInvoice(user, 'LTC');
    await letExpire(testApp, old);
    await Promise.all(Array.from({ length: 5 }, () => expireInvoices(testApp.ctx)));
    expect((await reload(user, old)).status).toBe('EXPIRED');
    expect((await reload(user, young)).status).toBe('PENDING');
    const left = await testApp.database.query('select from invoices where is_open and expired_at <= now()');
    expect(left).toEqual([]);
  });
});
