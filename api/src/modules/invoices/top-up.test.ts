import { payInvoice } from '@cellhop/contract/development';
import { currencies } from '@cellhop/contract/invoices.values';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { balanceOf, createUser, type TestUser } from '../../../test/factories.ts';
import { confirm, finalize, letExpire, newInvoice, pay, reload, send, watch } from '../../../test/sandbox-payments.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { chains } from '../../payments/currencies.ts';
import { sandboxRates } from '../../dev/sandbox.ts';
import { expireInvoices, watchChain } from './watch.service.ts';
import { scaled } from '../../../../tools/test-scale.ts';

const DOLLAR = 1_000_000n;
const RUNS = scaled(3, 40);

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const setRate = (dollars: bigint) => vi.spyOn(sandboxRates, 'rateE12').mockResolvedValue(dollars * 10n ** 12n);
const statusOf = async (user: TestUser, invoice: Parameters<typeof reload>[1]) => (await reload(user, invoice)).status;

describe('a top-up', () => {
  test.each(currencies)('in %s credits exactly the amount of the invoice', async (currency) => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user, currency, 25);
    await pay(testApp, invoice);
    expect(await statusOf(user, invoice)).toBe('PAID');
    expect(await balanceOf(testApp, user)).toBe(25n * DOLLAR);
    const [transfer] = (await reload(user, invoice)).payment!.transfers;
    expect(transfer).toMatchObject({ isCredited: true, confirmationsNeeded: 4 });
    expect(transfer!.confirmations).toBeGreaterThanOrEqual(4);
  });

  test('is shown as seen at once and credited when it is final', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user);
    await send(testApp, invoice);
    expect(await statusOf(user, invoice)).toBe('PENDING');
    await watch(testApp, 'BTC');
    expect(await statusOf(user, invoice)).toBe('CONFIRMING');
    const seen = { received: '0.00025000', confirming: '0.00025000', missing: null, credited: 0 };
    expect((await reload(user, invoice)).payment).toMatchObject(seen);
    expect(await balanceOf(testApp, user)).toBe(0n);
    await finalize(testApp);
    await watch(testApp, 'BTC');
    expect(await statusOf(user, invoice)).toBe('PAID');
    expect(await balanceOf(testApp, user)).toBe(25n * DOLLAR);
  });

  test('closes its invoice and does not count for the next one', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user);
    await pay(testApp, invoice);
    await newInvoice(user);
    expect(await reload(user, invoice)).toMatchObject({ id: invoice.id, status: 'PAID', expiredAt: invoice.expiredAt });
  });

  test('is found by a worker after a downtime', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user);
    await send(testApp, invoice);
    for (const table of ['invoices', 'sandbox_transactions'])
      await testApp.database.query(`update ${table} set created_at = created_at - interval '10 minutes'`);
    await watch(testApp, 'BTC');
    expect(await statusOf(user, invoice)).toBe('PAID');
  });

  test('below the due amount is credited, and the rest completes the invoice', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user);
    await pay(testApp, invoice, '0.0001');
    expect(await statusOf(user, invoice)).toBe('PARTIALLY_PAID');
    expect(await balanceOf(testApp, user)).toBe(10n * DOLLAR);
    const short = { received: '0.00010000', confirming: '0.00000000', missing: '0.00015000', excess: null };
    expect((await reload(user, invoice)).payment).toMatchObject({ ...short, credited: 10, isLate: false });
    const { amountInCurrency } = await send(testApp, invoice);
    expect(amountInCurrency).toBe('0.00015000');
    await confirm(testApp, 'BTC');
    expect(await statusOf(user, invoice)).toBe('PAID');
    expect(await balanceOf(testApp, user)).toBe(25n * DOLLAR);
  });

  test('above the due amount is credited in full', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user, 'USDT_BSC');
    await pay(testApp, invoice, '30.123456789');
    expect(await statusOf(user, invoice)).toBe('OVERPAID');
    expect(await balanceOf(testApp, user)).toBe(30_123_456n);
    const over = { received: '30.123456789', missing: null, excess: '5.123456789', credited: 30.123456 };
    expect((await reload(user, invoice)).payment).toMatchObject(over);
  });

  test('in two concurrent payments is credited for both', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user, 'TRX');
    await Promise.all([send(testApp, invoice, '40'), send(testApp, invoice, '60')]);
    await confirm(testApp, 'TRX');
    expect(await statusOf(user, invoice)).toBe('PAID');
    expect(await balanceOf(testApp, user)).toBe(25n * DOLLAR);
  });

  test('worth less than a micro-dollar is recorded and credits nothing', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user, 'ETH');
    await pay(testApp, invoice, '0.000000000000000001');
    expect(await statusOf(user, invoice)).toBe('PARTIALLY_PAID');
    expect(await balanceOf(testApp, user)).toBe(0n);
  });
});

describe('the rate of a top-up', () => {
  test('is that of the invoice if the payment came in time, even if it becomes final later', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user);
    await send(testApp, invoice);
    await watch(testApp, 'BTC');
    setRate(50_000n);
    await testApp.database.query(`update deposits set arrived_at = arrived_at - interval '2 minutes'`);
    await letExpire(testApp, invoice);
    await expireInvoices(testApp.ctx);
    expect(await statusOf(user, invoice)).toBe('CONFIRMING');
    await confirm(testApp, 'BTC');
    expect(await statusOf(user, invoice)).toBe('PAID');
    expect(await balanceOf(testApp, user)).toBe(25n * DOLLAR);
  });

  test.each([
    [50_000n, 12_500_000n],
    [200_000n, 25_000_000n],
  ])('is the lower one for a late payment: at %d dollars per coin it credits %d', async (rate, credit) => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user);
    await letExpire(testApp, invoice);
    await expireInvoices(testApp.ctx);
    expect(await statusOf(user, invoice)).toBe('EXPIRED');
    setRate(rate);
    await pay(testApp, invoice);
    expect(await statusOf(user, invoice)).toBe('PAID');
    expect((await reload(user, invoice)).payment).toMatchObject({ isLate: true, credited: Number(credit) / 1e6 });
    expect(await balanceOf(testApp, user)).toBe(credit);
  });

  test('of a late payment is the one on arrival, not the one when it becomes final', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user);
    await letExpire(testApp, invoice);
    setRate(50_000n);
    await send(testApp, invoice);
    await watch(testApp, 'BTC');
    setRate(20_000n);
    await confirm(testApp, 'BTC');
    expect(await balanceOf(testApp, user)).toBe(12_500_000n);
  });

  test('of a stablecoin is one dollar, late or not', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user, 'USDT_TON');
    await letExpire(testApp, invoice);
    setRate(7n);
    await pay(testApp, invoice);
    expect(await balanceOf(testApp, user)).toBe(25n * DOLLAR);
  });

  test('a late payment waits for a rate', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user);
    await letExpire(testApp, invoice);
    const noRate = vi.spyOn(sandboxRates, 'rateE12').mockResolvedValue(undefined);
    await pay(testApp, invoice);
    expect(await statusOf(user, invoice)).toBe('CONFIRMING');
    noRate.mockRestore();
    await watch(testApp, 'BTC');
    expect(await statusOf(user, invoice)).toBe('PAID');
  });
});

test(
  'payments that wait for a rate or cannot be credited do not delay others of their chain',
  { tags: ['thorough'] },
  async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user, 'USDT_TRC20');
    await send(testApp, invoice);
    await watch(testApp, 'USDT_TRC20');
    await finalize(testApp);
    // More than one batch, all older than the other one.
    const waiting = await testApp.database.query<{ id: string }>(
      `insert into deposits (chain, asset, transaction_id, output, address_id, units, state, arrived_at)
     select 'tron', case when n % 2 = 0 then 'TRX' else 'GONE' end, 'waiting ' || n, 0, address_id, 1000000, 'FINAL',
            now() - interval '1 day' + n * interval '1 microsecond'
       from generate_series(1, 1100) as n, invoices where invoices.id = $1 returning id`,
      [invoice.id],
    );
    const noRate = vi.spyOn(sandboxRates, 'rateE12').mockResolvedValue(undefined);
    await watch(testApp, 'USDT_TRC20');
    expect(await statusOf(user, invoice)).toBe('PAID');
    expect(await balanceOf(testApp, user)).toBe(25n * DOLLAR);
    noRate.mockRestore();
    setRate(1n);
    await watch(testApp, 'USDT_TRC20');
    expect(await balanceOf(testApp, user)).toBe((25n + 550n) * DOLLAR);
    await testApp.database.query("delete from deposits where asset = 'GONE' and id = any($1::uuid[])", [
      waiting.map(({ id }) => id),
    ]);
  },
);

describe('a payment to a replaced invoice', () => {
  test('belongs to it if it has its own address, because something was paid to it before', async () => {
    const user = await createUser(testApp);
    const replaced = await newInvoice(user, 'LTC');
    await pay(testApp, replaced, '0.01');
    const open = await newInvoice(user, 'LTC', 50);
    await pay(testApp, replaced);
    expect(await statusOf(user, replaced)).toBe('PAID');
    expect(await statusOf(user, open)).toBe('PENDING');
    expect(await balanceOf(testApp, user)).toBe(25n * DOLLAR);
  });

  test('belongs to the open one if they share the address', async () => {
    const user = await createUser(testApp);
    const replaced = await newInvoice(user, 'USDT_TRC20');
    const open = await newInvoice(user, 'USDT_TRC20', 50);
    await pay(testApp, replaced);
    expect(await statusOf(user, replaced)).toBe('EXPIRED');
    expect(await statusOf(user, open)).toBe('PARTIALLY_PAID');
    expect(await balanceOf(testApp, user)).toBe(25n * DOLLAR);
  });

  test('belongs to it if it was seen before', async () => {
    const user = await createUser(testApp);
    const replaced = await newInvoice(user, 'ETH');
    await send(testApp, replaced);
    await watch(testApp, 'ETH');
    const open = await newInvoice(user, 'ETH', 50);
    expect(await statusOf(user, replaced)).toBe('CONFIRMING');
    await confirm(testApp, 'ETH');
    expect(await statusOf(user, replaced)).toBe('PAID');
    expect(await statusOf(user, open)).toBe('PENDING');
  });
});

describe('addresses', () => {
  test('a payment in a currency without an invoice is credited to the user', async () => {
    const user = await createUser(testApp);
    const { address } = await newInvoice(user, 'USDT_ERC20');
    await testApp.database.query(
      `insert into sandbox_transactions (transaction_id, chain, asset, address, units)
       values ($1, 'bsc', 'USDT', $2, 7000000000000000000)`,
      [randomUUID(), address],
    );
    await confirm(testApp, 'USDT_BSC');
    expect(await balanceOf(testApp, user)).toBe(7n * DOLLAR);
  });

  test('payments to unknown addresses and of unknown assets are ignored', async () => {
    const user = await createUser(testApp);
    const { address } = await newInvoice(user, 'BTC');
    await testApp.database.query(
      `insert into sandbox_transactions (transaction_id, chain, asset, address, units)
       values ($1, 'bitcoin', 'BTC', 'sandbox-btc-nobody', 100000000), ($2, 'bitcoin', 'DOGE', $3, 100000000)`,
      [randomUUID(), randomUUID(), address],
    );
    await confirm(testApp, 'BTC');
    expect(await balanceOf(testApp, user)).toBe(0n);
  });
});

describe('workers', () => {
  test(`${RUNS} concurrent runs credit each payment once`, { tags: ['long'] }, async () => {
    const users = await Promise.all(Array.from({ length: 6 }, () => createUser(testApp)));
    const payments = users.flatMap((user) => currencies.map((currency) => ({ user, currency })));
    for (const { user, currency } of payments) await send(testApp, await newInvoice(user, currency, 10));
    const race = () =>
      Promise.all(
        Array.from({ length: RUNS }, async () => {
          for (const chain of chains) await watchChain(testApp.ctx, chain);
        }),
      );
    await race();
    await finalize(testApp);
    await race();
    for (const user of users) expect(await balanceOf(testApp, user)).toBe(90n * DOLLAR);
  });

  test('one payment that cannot be credited does not delay the others', async () => {
    const [unlucky, user] = [await createUser(testApp), await createUser(testApp)];
    const stuck = await newInvoice(unlucky, 'TON');
    const invoice = await newInvoice(user, 'TON');
    await send(testApp, stuck);
    await watch(testApp, 'TON');
    // Exceeds the range of a balance.
    await testApp.database.query(`update deposits set units = 1e40 where invoice_id = $1`, [stuck.id]);
    await pay(testApp, invoice);
    expect(await statusOf(user, invoice)).toBe('PAID');
    expect(await statusOf(unlucky, stuck)).toBe('CONFIRMING');
    await testApp.database.query(`update deposits set units = 10000000000 where invoice_id = $1`, [stuck.id]);
    await watch(testApp, 'TON');
    expect(await balanceOf(testApp, unlucky)).toBe(25n * DOLLAR);
  });
});

describe('payInvoice', () => {
  test('pays the due amount by default', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user);
    const response = await fetch(`${testApp.url}/dev/invoices/${invoice.id}/pay`, { method: 'POST' });
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ data: { amountInCurrency: '0.00025000' } });
  });

  test('does not pay the same amount twice', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user);
    const nothingDue = { status: 400, code: 'VALIDATION', body: { details: [{ path: 'body.amountInCurrency' }] } };
    await send(testApp, invoice);
    await expect(send(testApp, invoice)).rejects.toMatchObject(nothingDue);
    await confirm(testApp, 'BTC');
    await expect(send(testApp, invoice)).rejects.toMatchObject(nothingDue);
  });

  test.each(['0', '0.0', '0.000000001', '-1', '1e3', '1,5', '', '1000000000', '9'.repeat(61)])(
    'refuses "%s" and names the field',
    async (amountInCurrency) => {
      const invoice = await newInvoice(await createUser(testApp));
      await expect(send(testApp, invoice, amountInCurrency)).rejects.toMatchObject({
        status: 400,
        code: 'VALIDATION',
        body: { details: [{ path: 'body.amountInCurrency' }] },
      });
    },
  );

  test('returns NOT_FOUND for an unknown invoice', async () => {
    for (const [id, status] of [
      [randomUUID(), 404],
      ['nonsense', 400],
    ] as const)
      await expect(testApp.call(payInvoice, { params: { id }, body: {} })).rejects.toMatchObject({ status });
  });
});
