import { payInvoice } from '@cellhop/contract/development';
import { createInvoice, listInvoices, type Invoice } from '@cellhop/contract/invoices';
import { type Currency } from '@cellhop/contract/invoices.values';
import assert from 'node:assert/strict';
import { watchChain } from '../src/modules/invoices/watch.service.ts';
import { currencyRules } from '../src/payments/currencies.ts';
import type { TestUser } from './factories.ts';
import type { TestApp } from './test-app.ts';

export async function newInvoice(user: TestUser, currency: Currency = 'BTC', amount = 25): Promise<Invoice> {
  return (await user.call(createInvoice, { body: { currency, amount } })).data;
}

/** Adds a payment to the sandbox chain, without polling it. */
export async function send(test: TestApp, { id }: Invoice, amountInCurrency?: string) {
  const body = amountInCurrency === undefined ? {} : { amountInCurrency };
  return (await test.call(payInvoice, { params: { id }, body })).data;
}

/** Polls the chain like the worker. */
export function watch(test: TestApp, currency: Currency): Promise<void> {
  return watchChain(test.ctx, currencyRules[currency].chain);
}

/** Polls until the newest payments are final and credited. */
export async function confirm(test: TestApp, currency: Currency): Promise<void> {
  await watch(test, currency);
  await finalize(test);
  await watch(test, currency);
}

/** Backdates all payments on the sandbox chain, so that they are final. */
export async function finalize(test: TestApp): Promise<void> {
  await test.database.query(`update sandbox_transactions set created_at = created_at - interval '2 seconds'`);
}

export async function pay(test: TestApp, invoice: Invoice, amountInCurrency?: string): Promise<void> {
  await send(test, invoice, amountInCurrency);
  await confirm(test, invoice.currency);
}

/** Backdates an invoice, so that it expired some time ago. */
export async function letExpire(test: TestApp, { id }: Invoice): Promise<void> {
  await test.database.query(
    `update invoices set created_at = created_at - interval '1 hour', expired_at = now() - interval '1 minute' where id = $1`,
    [id],
  );
}

export async function reload(user: TestUser, { id }: Invoice): Promise<Invoice> {
  const { data } = await user.call(listInvoices, { query: { size: 100 } });
  const found = data.find((invoice) => invoice.id === id);
  assert(found);
  return found;
}
