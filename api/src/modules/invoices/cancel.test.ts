import { cancelInvoice, type Invoice, listInvoices } from '@cellhop/contract/invoices';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { balanceOf, createUser, type TestUser } from '../../../test/factories.ts';
import { newInvoice, pay, reload, send, watch } from '../../../test/sandbox-payments.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const cancel = async ({ call }: TestUser, { id }: Pick<Invoice, 'id'>) =>
  (await call(cancelInvoice, { params: { id } })).data;

test('an unpaid invoice is cancelled at once, and again without a change; others stay open', async () => {
  const user = await createUser(testApp);
  const [invoice, other] = [await newInvoice(user), await newInvoice(user, 'LTC')];
  const cancelled = await cancel(user, invoice);
  expect(cancelled).toMatchObject({ id: invoice.id, status: 'EXPIRED' });
  expect(Date.parse(cancelled.expiredAt)).toBeLessThan(Date.parse(invoice.expiredAt));
  expect(await cancel(user, invoice)).toEqual(cancelled);
  expect((await reload(user, other)).status).toBe('PENDING');
});

test('a list without expired invoices has neither their rows nor their pages, and one of them is still found', async () => {
  const user = await createUser(testApp);
  const [cancelled, open] = [await newInvoice(user), await newInvoice(user, 'LTC')];
  await cancel(user, cancelled);
  const list = async (query: object) => {
    const { data, totalPages } = await user.call(listInvoices, { query: { page: 1, size: 1, ...query } });
    return [data.map(({ id }) => id), totalPages];
  };
  expect(await list({ hideExpired: 'true' })).toEqual([[open.id], 1]);
  expect(await list({})).toEqual([[open.id], 2]);
  expect(await list({ id: cancelled.id })).toEqual([[cancelled.id], 1]);
});

test('a payment to a cancelled invoice is still credited', async () => {
  const user = await createUser(testApp);
  const invoice = await newInvoice(user, 'USDT_TRC20');
  await cancel(user, invoice);
  await pay(testApp, invoice);
  expect(await balanceOf(testApp, user)).toBe(25_000_000n);
  expect((await reload(user, invoice)).status).toBe('PAID');
});

test('an invoice with a payment, one of somebody else and one that does not exist are refused', async () => {
  const [user, stranger] = [await createUser(testApp), await createUser(testApp)];
  const invoice = await newInvoice(user);
  await expect(cancel(stranger, invoice)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(cancel(user, { id: randomUUID() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await send(testApp, invoice);
  await watch(testApp, 'BTC');
  await expect(cancel(user, invoice)).rejects.toMatchObject({ code: 'INVOICE_PAID' });
  expect((await reload(user, invoice)).status).toBe('CONFIRMING');
});
