/**
 * Payments that are easy to count twice, or to miss.
 * @module-tag thorough
 */
import type { Invoice } from '@cellhop/contract/invoices';
import { getAnyInvoice, type Deposit } from '@cellhop/contract/staff/invoices';
import assert from 'node:assert/strict';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { balanceOf, createUser, type TestUser } from '../../../test/factories.ts';
import { newInvoice, reload } from '../../../test/sandbox-payments.ts';
import { ScriptedChain } from '../../../test/scripted-chain.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { compareChain } from './comparison.service.ts';
import { watchChain } from './watch.service.ts';

const DOLLAR = 1_000_000n;
/** $25 at the rate of the sandbox. */
const units = 25_000n;
const asset = 'BTC';
const BLOCKS_UNTIL_FINAL = 4;

let testApp: TestApp;
let chain: ScriptedChain;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  await testApp.reset();
  chain = new ScriptedChain();
  user = await createUser(testApp);
  await watch();
});
afterEach(async () => {
  assert.deepEqual(await checkInvariants(testApp.ctx), []);
  assert.deepEqual(await compareChain(testApp.ctx, 'bitcoin', chain), []);
});

const watch = () => watchChain(testApp.ctx, 'bitcoin', chain);
const states = async () =>
  (await testApp.database.query<{ state: string }>('select state from deposits order by arrived_at, id')).map(
    ({ state }) => state,
  );

async function depositsForStaff({ id }: Invoice): Promise<Deposit[]> {
  const staff = await createUser(testApp, { roleName: 'ADMIN' });
  return (await staff.call(getAnyInvoice, { params: { id } })).data.deposits;
}

async function makeFinal(): Promise<void> {
  chain.mineEmpty(BLOCKS_UNTIL_FINAL - 1);
  await watch();
}

test('a double spend to a foreign address after the payment was seen credits nothing', async () => {
  const invoice = await newInvoice(user);
  const payment = chain.send({ asset, address: invoice.address, units });
  await watch();
  expect((await reload(user, invoice)).status).toBe('CONFIRMING');
  chain.drop(payment);
  chain.mine([chain.send({ asset, address: 'an address of somebody else', units })]);
  await makeFinal();
  expect([await states(), await balanceOf(testApp, user)]).toEqual([['REPLACED'], 0n]);
  expect((await reload(user, invoice)).status).toBe('PENDING');
});

test('the payer sees that a payment was replaced, until another one pays the invoice', async () => {
  const invoice = await newInvoice(user);
  const first = chain.send({ asset, address: invoice.address, units: 10_000n, isReplaceable: true });
  await watch();
  expect(await reload(user, invoice)).toMatchObject({
    replaced: null,
    payment: { received: '0.00010000', transfers: [{ confirmations: 0, isReplaceable: true }] },
  });
  chain.drop(first);
  await watch();
  expect(await reload(user, invoice)).toMatchObject({ status: 'PENDING', replaced: '0.00010000', payment: null });
  chain.mine([chain.send({ asset, address: invoice.address, units })]);
  await makeFinal();
  expect(await reload(user, invoice)).toMatchObject({ status: 'PAID', replaced: null });
});

test('staff see that a payment may be replaced until it is in a block, and then that it was', async () => {
  const invoice = await newInvoice(user);
  const first = chain.send({ asset, address: invoice.address, units, isReplaceable: true });
  const second = chain.send({ asset, address: invoice.address, units, isReplaceable: true });
  await watch();
  expect(await depositsForStaff(invoice)).toMatchObject([
    { state: 'SEEN', isReplaceable: true, blockAt: null },
    { state: 'SEEN', isReplaceable: true, blockAt: null },
  ]);
  chain.drop(first);
  chain.mine([second]);
  await watch();
  const found = await depositsForStaff(invoice);
  expect(found.map(({ state }) => state).toSorted()).toEqual(['INCLUDED', 'REPLACED']);
  expect(found.map(({ isReplaceable }) => isReplaceable)).toEqual([false, false]);
});

test('a payment that returns to the memory pool may be replaced, though it was first seen in a block', async () => {
  const invoice = await newInvoice(user);
  chain.send({ asset, address: invoice.address, units, isReplaceable: true });
  chain.mine();
  await watch();
  expect(await depositsForStaff(invoice)).toMatchObject([{ state: 'INCLUDED', isReplaceable: false }]);
  chain.reorganise(1);
  await watch();
  expect(await depositsForStaff(invoice)).toMatchObject([{ state: 'SEEN', isReplaceable: true }]);
});

test('staff see that the address of an invoice was paid to again; it is credited', async () => {
  const invoice = await newInvoice(user);
  chain.mine(chain.sendTogether([10_000n, 15_000n].map((part) => ({ asset, address: invoice.address, units: part }))));
  await makeFinal();
  chain.mine([chain.send({ asset, address: invoice.address, units: 5000n })]);
  await makeFinal();
  const found = (await depositsForStaff(invoice)).map(({ isAddressReuse, credited }) => ({ isAddressReuse, credited }));
  // Two outputs of one transaction are one payment.
  expect(found.toSorted((a, b) => b.credited! - a.credited!)).toEqual([
    { isAddressReuse: false, credited: 15 },
    { isAddressReuse: false, credited: 10 },
    { isAddressReuse: true, credited: 5 },
  ]);
});

test('a fee bump is no reuse of the address', async () => {
  const invoice = await newInvoice(user);
  const first = chain.send({ asset, address: invoice.address, units });
  await watch();
  chain.drop(first);
  chain.mine([chain.send({ asset, address: invoice.address, units })]);
  await makeFinal();
  expect((await depositsForStaff(invoice)).map(({ isAddressReuse }) => isAddressReuse)).toEqual([false, false]);
});

test('a payment that an empty block leaves waiting is still seen, and gone when it loses a conflict', async () => {
  const invoice = await newInvoice(user);
  const payment = chain.send({ asset, address: invoice.address, units });
  await watch();
  chain.mineEmpty(1);
  await watch();
  expect(await states()).toEqual(['SEEN']);
  chain.drop(payment);
  await makeFinal();
  expect([await states(), await balanceOf(testApp, user)]).toEqual([['REPLACED'], 0n]);
});

test('a fee bump of a payment that was seen counts once, at every moment', async () => {
  const invoice = await newInvoice(user);
  const first = chain.send({ asset, address: invoice.address, units });
  await watch();
  chain.drop(first);
  const second = chain.send({ asset, address: invoice.address, units });
  await watch();
  expect((await reload(user, invoice)).payment).toMatchObject({ received: '0.00025000' });
  chain.mine([second]);
  await makeFinal();
  expect((await reload(user, invoice)).payment).toMatchObject({ received: '0.00025000', excess: null, credited: 25 });
  expect([(await states()).toSorted(), await balanceOf(testApp, user)]).toEqual([
    ['CREDITED', 'REPLACED'],
    25n * DOLLAR,
  ]);
});

test('a fee bump between two blocks of a reorganisation counts once', async () => {
  const invoice = await newInvoice(user);
  const first = chain.send({ asset, address: invoice.address, units });
  chain.mine([first]);
  await watch();
  chain.reorganise(1);
  chain.drop(first);
  chain.mine([chain.send({ asset, address: invoice.address, units })]);
  await makeFinal();
  expect([(await states()).toSorted(), await balanceOf(testApp, user)]).toEqual([
    ['CREDITED', 'REPLACED'],
    25n * DOLLAR,
  ]);
});

test('a payment to the address of an older invoice is credited to it, though another one is open', async () => {
  const old = await newInvoice(user);
  chain.mine([chain.send({ asset, address: old.address, units: 10_000n })]);
  await makeFinal();
  const open = await newInvoice(user);
  expect(open.address).not.toBe(old.address);
  chain.mine([chain.send({ asset, address: old.address, units: 15_000n })]);
  await makeFinal();
  expect([(await reload(user, old)).status, (await reload(user, open)).status]).toEqual(['PAID', 'PENDING']);
  expect(await balanceOf(testApp, user)).toBe(25n * DOLLAR);
});

test('several outputs of one transaction to one address are credited each', async () => {
  const invoice = await newInvoice(user);
  chain.mine(chain.sendTogether([10_000n, 15_000n].map((part) => ({ asset, address: invoice.address, units: part }))));
  await makeFinal();
  expect((await reload(user, invoice)).payment).toMatchObject({ received: '0.00025000', credited: 25 });
  expect([await states(), await balanceOf(testApp, user)]).toEqual([['CREDITED', 'CREDITED'], 25n * DOLLAR]);
});

test('one transaction that pays two invoices of two customers credits both', async () => {
  const other = await createUser(testApp);
  const [mine, theirs] = [await newInvoice(user), await newInvoice(other)];
  const payments = [mine, theirs].map(({ address }, index) => ({ asset, address, units: units * BigInt(index + 1) }));
  chain.mine(chain.sendTogether(payments));
  await makeFinal();
  expect([(await reload(user, mine)).status, (await reload(other, theirs)).status]).toEqual(['PAID', 'OVERPAID']);
  expect([await balanceOf(testApp, user), await balanceOf(testApp, other)]).toEqual([25n * DOLLAR, 50n * DOLLAR]);
});

test('dust is credited with what it is worth, and completes no invoice', async () => {
  const invoice = await newInvoice(user);
  chain.mine([chain.send({ asset, address: invoice.address, units: 1n })]);
  await makeFinal();
  expect((await reload(user, invoice)).status).toBe('PARTIALLY_PAID');
  expect(await balanceOf(testApp, user)).toBe(1000n);
});

test('an immediate payment belongs to its invoice, although the clock of its block is behind', async () => {
  const invoice = await newInvoice(user);
  chain.clockBehindMs = 60_000;
  chain.send({ asset, address: invoice.address, units });
  chain.mine();
  await makeFinal();
  expect([await states(), await balanceOf(testApp, user)]).toEqual([['CREDITED'], 25n * DOLLAR]);
  expect((await reload(user, invoice)).status).toBe('PAID');
});
