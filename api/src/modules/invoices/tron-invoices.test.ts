/**
 * Invoices in TRX and USDT on TRON in production mode: real addresses, the real watcher, and the emulator of TRON as two sources.
 * @module-tag thorough
 */
import { createInvoice, listCurrencies, listInvoices } from '@cellhop/contract/invoices';
import type { Currency } from '@cellhop/contract/invoices.values';
import assert from 'node:assert/strict';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TronChain } from '../../../test/chains/tron/chain.ts';
import { createSender, type Sender } from '../../../test/chains/tron/local-tron.ts';
import { startTronNode, type TronNode } from '../../../test/chains/tron/node.ts';
import { balanceOf, createUser, type TestUser } from '../../../test/factories.ts';
import { settle } from '../../../test/staff-requests.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { createTronWatcher } from '../../payments/chains/tron/tron-watcher.ts';
import type { ChainWatcher } from '../../payments/chains/watcher.ts';
import { parseAccountKey } from '../../payments/derive/account-key.ts';
import { deriveAddress } from '../../payments/derive/addresses.ts';
import { compareChain } from './comparison.service.ts';
import { watchChain } from './watch.service.ts';

/** The account m/44'/195'/0' of the seed phrase `abandon` x 11 + `about`. */
const account = parseAccountKey(
  'xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd',
);
/** The chain has so many blocks of 3 s when it begins. */
const FIRST_BLOCKS = 45;
const BLOCKS_UNTIL_FINAL = 22;

let testApp: TestApp;
let chain: TronChain;
let send: Sender;
let nodes: TronNode[];
let watcher: ChainWatcher;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  await testApp.reset();
  Object.assign(testApp.ctx.config, { isDevelopment: false });
  chain = new TronChain({ startMs: Date.now() - FIRST_BLOCKS * 3000 });
  send = createSender(chain);
  nodes = [await startTronNode(chain), await startTronNode(chain)];
  const urls = nodes.map(({ url }) => url);
  const { payments } = testApp.ctx.config;
  payments.accounts = { tron: account };
  payments.urls = { tron: urls };
  watcher = createTronWatcher({ urls, requestsPerSecond: 1000 });
  user = await createUser(testApp);
  for (const [asset, rateE12] of [
    ['USDT', '1000000000000'],
    ['TRX', '250000000000'],
  ])
    await testApp.database.query(
      `insert into exchange_rates (asset, rate_e12, source_count, accepted_at) values ($1, $2, 2, now())`,
      [asset, rateE12],
    );
  await poll();
});
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  assert.deepEqual(await checkInvariants(testApp.ctx), []);
});

async function poll() {
  await testApp.database.query('update chain_cursors set next_poll_at = now()');
  await watchChain(testApp.ctx, 'tron', watcher);
}
async function mine(blocks: number) {
  chain.mine(blocks);
  await poll();
}
const newInvoice = async (currency: Currency, amount = 25) =>
  (await user.call(createInvoice, { body: { currency, amount } })).data;
const shown = async () => (await user.call(listInvoices, { query: {} })).data;
const compare = () => compareChain(testApp.ctx, 'tron', watcher);

describe('in production, on TRON', () => {
  test('both currencies are offered once the chain is read, with the addresses of the wallet', async () => {
    expect((await user.call(listCurrencies, {})).data).toMatchObject([
      { currency: 'TRX', problem: null },
      { currency: 'USDT_TRC20', problem: null },
    ]);
    const { address } = await newInvoice('USDT_TRC20');
    expect(address).toBe(deriveAddress('tron', account, 1n));
    // The same user has the same address for both.
    expect(await newInvoice('TRX')).toMatchObject({ address, isSandbox: false, status: 'PENDING' });
  });

  test.each([
    ['TRX', 100_000_000n],
    ['USDT_TRC20', 25_000_000n],
  ] as const)('an invoice in %s is shown as confirming, and paid when its block is solid', async (currency, units) => {
    const { address, amountInCurrency } = await newInvoice(currency);
    expect(Number(amountInCurrency) * 1e6).toBe(Number(units));
    const payout = { address, units };
    const id = currency === 'TRX' ? send.trx(payout) : send.usdt(payout);
    await mine(3);
    expect(await shown()).toMatchObject([{ status: 'CONFIRMING' }]);
    expect(await balanceOf(testApp, user)).toBe(0n);
    await mine(BLOCKS_UNTIL_FINAL);
    expect(await balanceOf(testApp, user)).toBe(25_000_000n);
    const [invoice] = await shown();
    expect(invoice!.status).toBe('PAID');
    const explorerUrl = `https://tronscan.org/#/transaction/${id}`;
    expect(invoice!.payment!.transfers).toMatchObject([{ isCredited: true, explorerUrl }]);
  });

  test('100 TRX for an invoice of 100 USDT are 100 TRX: their value is credited, and the invoice is not paid', async () => {
    const { address } = await newInvoice('USDT_TRC20', 100);
    send.trx({ address, units: 100_000_000n });
    await mine(BLOCKS_UNTIL_FINAL);
    await poll();
    expect(await balanceOf(testApp, user)).toBe(25_000_000n);
    expect(await shown()).toMatchObject([{ currency: 'USDT_TRC20', status: 'PENDING', payment: null }]);
  });

  test('a fork that takes a payment away takes nothing from a balance, and it is credited once', async () => {
    const { address } = await newInvoice('USDT_TRC20');
    const id = send.usdt({ address, units: 25_000_000n });
    await mine(4);
    chain.fork(4, [id]);
    await poll();
    expect(await testApp.database.query('select state from deposits')).toEqual([{ state: 'ORPHANED' }]);
    chain.includeAgain(id);
    await mine(BLOCKS_UNTIL_FINAL);
    await poll();
    expect(await balanceOf(testApp, user)).toBe(25_000_000n);
    expect(await testApp.database.query('select from deposits')).toHaveLength(1);
  });

  test('TRX that a contract sends are found by the comparison, and no difference once staff have settled them', async () => {
    const { id, address } = await newInvoice('TRX');
    send.trxByContract({ address, units: 100_000_000n });
    await mine(BLOCKS_UNTIL_FINAL);
    expect(await balanceOf(testApp, user)).toBe(0n);
    expect(await compare()).toEqual([`${address} received 100.00 TRX more than its deposits`]);
    await settle(await createUser(testApp, { roleName: 'FINANCE' }), { id });
    expect(await balanceOf(testApp, user)).toBe(25_000_000n);
    expect(await compare()).toEqual([]);
    await mine(BLOCKS_UNTIL_FINAL);
    expect(await compare()).toEqual([]);
  });

  test('USDT in a transaction whose receipt nobody can send are found by the comparison, and staff settle them', async () => {
    const { id, address } = await newInvoice('USDT_TRC20');
    const urls = nodes.map(({ url }) => url);
    watcher = createTronWatcher({ urls, requestsPerSecond: 1000, responseBytesMax: 100_000 });
    for (const { behaviour } of nodes)
      behaviour.changeReceipt = (logs) => Array.from({ length: 200 }, () => logs).flat();
    send.usdtBatch({ address, units: 25_000_000n });
    await mine(BLOCKS_UNTIL_FINAL);
    expect(await balanceOf(testApp, user)).toBe(0n);
    expect(await compare()).toEqual([`${address} received 25.00 USDT_TRC20 more than its deposits`]);
    await settle(await createUser(testApp, { roleName: 'FINANCE' }), { id });
    expect(await balanceOf(testApp, user)).toBe(25_000_000n);
    expect(await compare()).toEqual([]);
  });

  test('while nothing becomes solid for ten minutes, nothing is credited and no invoice is offered; then all is', async () => {
    const { address } = await newInvoice('USDT_TRC20');
    chain.activeWitnesses = 18;
    await mine(20);
    send.usdt({ address, units: 25_000_000n });
    await mine(200);
    expect(await shown()).toMatchObject([{ status: 'CONFIRMING' }]);
    expect(await balanceOf(testApp, user)).toBe(0n);
    expect((await user.call(listCurrencies, {})).data).toMatchObject([{ problem: 'NETWORK' }, { problem: 'NETWORK' }]);
    chain.activeWitnesses = 27;
    await mine(50);
    expect(await balanceOf(testApp, user)).toBe(25_000_000n);
    expect((await user.call(listCurrencies, {})).data).toMatchObject([{ problem: null }, { problem: null }]);
  });
});
