/**
 * The invoice and the rate of a payment do not depend on wrong clocks of the chain.
 * @module-tag thorough
 */
import type { Invoice } from '@cellhop/contract/invoices';
import assert from 'node:assert/strict';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { balanceOf, createUser, type TestUser } from '../../../test/factories.ts';
import { BLOCKS_UNTIL_FINAL } from '../../../test/payments-on-chain.ts';
import { letExpire, newInvoice, reload } from '../../../test/sandbox-payments.ts';
import { ScriptedChain } from '../../../test/scripted-chain.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import type { Chain } from '../../payments/currencies.ts';
import { watchChain } from './watch.service.ts';

const HOUR_MS = 3_600_000;
/** $25 at the rate of the sandbox. */
const units = 25_000n;

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
});
afterEach(async () => assert.deepEqual(await checkInvariants(testApp.ctx), []));

const watch = (name: Chain = 'bitcoin') => watchChain(testApp.ctx, name, chain);
const statuses = async (...invoices: Invoice[]) =>
  Promise.all(invoices.map(async (invoice) => (await reload(user, invoice)).status));

const earlier = (column: string) => `${column} = ${column} - $1 * interval '1 millisecond'`;

/** Backdates everything but the blocks. */
async function backdate(ms: number): Promise<void> {
  const { database } = testApp;
  await database.query(`update chain_cursors set ${earlier('polled_at')}`, [ms]);
  await database.query(`update invoices set ${earlier('created_at')}, ${earlier('expired_at')}`, [ms]);
}

/** Its address was never paid to, so the next invoice has the same one. */
async function expiredInvoice(): Promise<Invoice> {
  const invoice = await newInvoice(user);
  await letExpire(testApp, invoice);
  return invoice;
}

async function makeFinal(name?: Chain): Promise<void> {
  chain.mineEmpty(BLOCKS_UNTIL_FINAL - 1);
  await watch(name);
}

describe('while a worker watches', () => {
  beforeEach(() => watch());

  test.each([
    ['behind', HOUR_MS],
    ['ahead', -HOUR_MS],
  ])(
    'a payment belongs to the newest invoice of its address, though the clock of its block is %s',
    async (_, behindMs) => {
      const old = await expiredInvoice();
      const open = await newInvoice(user);
      expect(open.address).toBe(old.address);
      chain.clockBehindMs = behindMs;
      chain.send({ asset: 'BTC', address: open.address, units });
      chain.mine();
      // A second block before the next poll: the payment is not in the newest one.
      await makeFinal();
      expect(await statuses(old, open)).toEqual(['EXPIRED', 'PAID']);
      expect((await reload(user, open)).payment).toMatchObject({ isLate: false, credited: 25 });
    },
  );

  test('a payment that was seen in time stays in time, even if the clock of its block is late', async () => {
    const invoice = await newInvoice(user);
    chain.send({ asset: 'BTC', address: invoice.address, units });
    await watch();
    await testApp.database.query(`update invoices set expired_at = now() + interval '1 millisecond'`);
    chain.clockBehindMs = -2 * HOUR_MS + 60_000;
    chain.mine();
    await makeFinal();
    expect((await reload(user, invoice)).payment).toMatchObject({ isLate: false, credited: 25 });
  });

  test('of two invoices within a second, a payment belongs to the second one', async () => {
    const [first, second] = [await newInvoice(user), await newInvoice(user)];
    chain.clockBehindMs = 1000;
    chain.send({ asset: 'BTC', address: second.address, units });
    chain.mine();
    await makeFinal();
    expect(await statuses(first, second)).toEqual(['EXPIRED', 'PAID']);
  });

  test('the time of the first sighting is stored beside the time of the block', async () => {
    const { address } = await newInvoice(user);
    chain.clockBehindMs = HOUR_MS;
    chain.send({ asset: 'BTC', address, units });
    chain.mine();
    await makeFinal();
    const [times] = await testApp.database.query<{ isOurs: boolean; isOfBlock: boolean }>(
      `select first_seen_at between arrived_at and arrived_at + interval '1 minute' as "isOurs",
              block_at between first_seen_at - interval '61 minutes' and first_seen_at - interval '59 minutes' as "isOfBlock"
         from deposits`,
    );
    expect(times).toEqual({ isOurs: true, isOfBlock: true });
  });
});

describe('after a day without a worker', () => {
  test('a payment belongs to the invoice that was open in its block, at its rate, though a newer one has its address', async () => {
    await watch();
    const open = await newInvoice(user);
    await backdate(12 * HOUR_MS);
    chain.clockBehindMs = 12 * HOUR_MS - 60_000;
    chain.send({ asset: 'BTC', address: open.address, units });
    chain.mine();
    const later = await newInvoice(user);
    expect(later.address).toBe(open.address);
    chain.clockBehindMs = 0;
    await makeFinal();
    expect(await statuses(open, later)).toEqual(['PAID', 'PENDING']);
    expect((await reload(user, open)).payment).toMatchObject({ isLate: false, credited: 25 });
  });

  test('a payment after the end of its invoice is late, even if the watcher sees it at once', async () => {
    await watch();
    const open = await newInvoice(user);
    await backdate(12 * HOUR_MS);
    chain.clockBehindMs = 6 * HOUR_MS;
    chain.send({ asset: 'BTC', address: open.address, units });
    chain.mine();
    await makeFinal();
    expect((await reload(user, open)).payment).toMatchObject({ isLate: true });
  });

  test('a block whose clock is behind the last poll counts as of that poll', async () => {
    const old = await expiredInvoice();
    await backdate(HOUR_MS);
    const open = await newInvoice(user);
    await watch();
    await backdate(12 * HOUR_MS);
    chain.clockBehindMs = 12.5 * HOUR_MS;
    chain.send({ asset: 'BTC', address: open.address, units });
    chain.mine();
    chain.clockBehindMs = 0;
    await makeFinal();
    expect(await statuses(old, open)).toEqual(['EXPIRED', 'PAID']);
  });
});

describe('on chains of validators', () => {
  const ether = 6_250_000_000_000_000n;

  beforeEach(async () => {
    chain.clockErrorMs = 5000;
    await watch('ethereum');
  });

  test('an immediate payment belongs to the newest invoice, though its block is of the second before', async () => {
    const old = await newInvoice(user, 'ETH');
    await backdate(30 * 60_000);
    const open = await newInvoice(user, 'ETH');
    chain.clockBehindMs = 1000;
    chain.send({ asset: 'ETH', address: open.address, units: ether });
    chain.mine();
    await makeFinal('ethereum');
    expect(await statuses(old, open)).toEqual(['EXPIRED', 'PAID']);
    expect(await balanceOf(testApp, user)).toBe(25_000_000n);
  });

  test('a payment belongs to the invoice of its time, though a newer one was open when its block was read', async () => {
    const paid = await newInvoice(user, 'ETH');
    await backdate(20_000);
    chain.clockBehindMs = 10_000;
    chain.send({ asset: 'ETH', address: paid.address, units: ether });
    chain.mine();
    const newer = await newInvoice(user, 'ETH');
    await makeFinal('ethereum');
    expect(await statuses(paid, newer)).toEqual(['PAID', 'PENDING']);
  });
});
