/**
 * Invoices in TON and USDT on TON in production mode: real addresses, the real watcher, and the chain in memory by two sources.
 * @module-tag thorough
 */
import { createInvoice, listCurrencies, listInvoices } from '@cellhop/contract/invoices';
import type { Currency } from '@cellhop/contract/invoices.values';
import { getAnyInvoice } from '@cellhop/contract/staff/invoices';
import { Address, beginCell } from '@ton/core';
import { keyPairFromSeed } from '@ton/crypto';
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { honest } from '../../../test/chains/ton/behaviour.ts';
import { bodies } from '../../../test/chains/ton/jetton.ts';
import { optionsFor } from '../../../test/chains/ton/local-ton.ts';
import { type Sending, TON } from '../../../test/chains/ton/ton-chain.ts';
import { on, startTwoSources, type TwoSources } from '../../../test/chains/ton/two-sources.ts';
import { balanceOf, createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { order } from '../../../test/operator.ts';
import { payments as paymentsCommand } from '../../commands/payments.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import type { ChainWatcher } from '../../payments/chains/watcher.ts';
import type { AccountKey } from '../../payments/derive/account-key.ts';
import { deriveAddress } from '../../payments/derive/addresses.ts';
import { parseWalletKey } from '../../payments/derive/wallet-key.ts';
import { compareChain } from './comparison.service.ts';
import { makeHoldingsFile } from './operator.service.ts';
import { watchChain } from './watch.service.ts';

let testApp: TestApp;
let ton: TwoSources;
/** Another one in each test, because the chain keeps its transactions. */
let account: AccountKey;
let watcher: ChainWatcher;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  ton = await startTwoSources();
});
afterAll(async () => {
  await testApp.stop();
  await ton.close();
});
beforeEach(async () => {
  await testApp.reset();
  Object.assign(testApp.ctx.config, { isDevelopment: false });
  const { payments } = testApp.ctx.config;
  account = parseWalletKey(keyPairFromSeed(randomBytes(32)).publicKey.toString('hex'));
  payments.accounts = { ton: account };
  payments.urls = { ton: ton.urls };
  const jetton = optionsFor(ton.chain).jetton!;
  payments.usdtContracts.ton = jetton.master;
  payments.usdtWalletCode = jetton.walletCode;
  watcher = ton.createWatcher({ now: () => new Date() });
  user = await createUser(testApp);
  for (const [asset, rateE12] of [
    ['USDT', '1000000000000'],
    ['TON', '2500000000000'],
  ])
    await testApp.database.query(
      `insert into exchange_rates (asset, rate_e12, source_count, accepted_at) values ($1, $2, 2, now())`,
      [asset, rateE12],
    );
  await poll();
});
afterEach(async () => {
  for (const facade of [ton.index, ton.node]) facade.behaviour = honest();
  assert.deepEqual(await checkInvariants(testApp.ctx), []);
});

/** Blocks have the real time, because the age of the newest one is that of the chain. */
async function poll(by = watcher, seconds = 1) {
  ton.chain.mineAt(Math.max(Math.floor(Date.now() / 1000), ton.chain.head.time + seconds));
  await testApp.database.query('update chain_cursors set next_poll_at = now()');
  await watchChain(testApp.ctx, 'ton', by);
}
const newInvoice = async (currency: Currency, amount = 25) =>
  (await user.call(createInvoice, { body: { currency, amount } })).data;
const shown = async () => (await user.call(listInvoices, { query: {} })).data;
const pay = async (address: string, message: Omit<Sending, 'to'>) => {
  const to = Address.parse(address);
  return on(to, await ton.chain.send({ to, ...message }))[0]!
    .hash()
    .toString('hex');
};
const payTokens = (address: string, units: bigint) =>
  ton.chain.send(ton.chain.tokenTransfer(Address.parse(address), units));

/** As in production, blocks and polls go on meanwhile; all addresses are read once a minute. */
async function compare(): Promise<string[]> {
  const run = { isOver: false };
  const comparison = compareChain(testApp.ctx, 'ton', watcher).finally(() => (run.isOver = true));
  while (!run.isOver) await poll(watcher, 30);
  return comparison;
}

/** Of 10 TON. */
const afterSweep = (balance: bigint) => (balance > 10n * TON ? balance - 10n * TON : 0n);

describe('in production, on TON', () => {
  test('both currencies are offered once the chain is read, with one address of the wallet for each user', async () => {
    expect((await user.call(listCurrencies, {})).data).toMatchObject([
      { currency: 'TON', problem: null },
      { currency: 'USDT_TON', problem: null },
    ]);
    const { address } = await newInvoice('USDT_TON');
    expect(address).toBe(deriveAddress('ton', account, 1n));
    const invoice = await newInvoice('TON');
    expect(invoice).toMatchObject({ address, isSandbox: false, status: 'PENDING' });
    const finance = await createUser(testApp, { roleName: 'FINANCE' });
    const { data } = await finance.call(getAnyInvoice, { params: { id: invoice.id } });
    expect(data).toMatchObject({ derivationIndex: 1, walletNumber: '698983192' });
  });

  test('an invoice in TON is paid in full by its exact amount, once', async () => {
    const { address, amountInCurrency } = await newInvoice('TON');
    expect(amountInCurrency).toBe('10.000');
    const id = await pay(address, { value: 10n * TON });
    await poll();
    await poll(ton.createWatcher({ now: () => new Date() }));
    expect(await balanceOf(testApp, user)).toBe(25_000_000n);
    const [invoice] = await shown();
    expect(invoice!.status).toBe('PAID');
    const explorerUrl = `https://tonviewer.com/transaction/${id}`;
    expect(invoice!.payment!.transfers).toMatchObject([{ isCredited: true, explorerUrl }]);
  });

  test('an invoice in USDT is paid by a transfer of which the owner is not even notified', async () => {
    const { address } = await newInvoice('USDT_TON');
    await payTokens(address, 25_000_000n);
    await poll();
    expect(await balanceOf(testApp, user)).toBe(25_000_000n);
    expect(await shown()).toMatchObject([{ status: 'PAID' }]);
  });

  test('two workers at once credit a payment once', async () => {
    const { address } = await newInvoice('TON');
    await pay(address, { value: 10n * TON });
    const other = ton.createWatcher({ now: () => new Date() });
    await Promise.all([poll(), watchChain(testApp.ctx, 'ton', other)]);
    await poll(other);
    expect(await balanceOf(testApp, user)).toBe(25_000_000n);
    expect(await testApp.database.query('select from deposits')).toHaveLength(1);
  });

  test('a payment that the second source does not have is credited when it has it, and no other waits for it', async () => {
    const { address } = await newInvoice('TON');
    const missing = await pay(address, { value: 10n * TON });
    ton.node.behaviour.lacks = ({ hash }) => hash === missing;
    await poll();
    await payTokens(address, 5_000_000n);
    await poll();
    expect(await balanceOf(testApp, user)).toBe(5_000_000n);
    ton.node.behaviour.lacks = () => false;
    await poll();
    expect(await balanceOf(testApp, user)).toBe(30_000_000n);
  });

  test('a source that knows other wallets of USDT turns USDT off, and TON goes on', async () => {
    const { address } = await newInvoice('TON');
    ton.index.behaviour.changeWallet = () => beginCell().storeAddress(ton.chain.bank.address).endCell();
    const restarted = ton.createWatcher({ now: () => new Date() });
    await pay(address, { value: 10n * TON });
    await poll(restarted);
    expect((await user.call(listCurrencies, {})).data).toMatchObject([
      { currency: 'TON', problem: null },
      { currency: 'USDT_TON', problem: 'NETWORK' },
    ]);
    await expect(newInvoice('USDT_TON')).rejects.toMatchObject({ code: 'CURRENCY_UNAVAILABLE' });
    expect(await balanceOf(testApp, user)).toBe(25_000_000n);
    await poll();
    expect((await user.call(listCurrencies, {})).data).toMatchObject([{ problem: null }, { problem: null }]);
  });

  test('the comparison waits for the poll that reads addresses without open invoices', async () => {
    const { address } = await newInvoice('TON');
    await testApp.database.query(`update invoices set is_open = false`);
    await poll(watcher, 61);
    await pay(address, { value: 10n * TON });
    // It is in a block that was read, for addresses with open invoices only.
    await poll();
    expect(await testApp.database.query('select from deposits')).toHaveLength(0);
    expect(await compare()).toEqual([]);
    expect(await testApp.database.query('select from deposits')).toHaveLength(1);
  });

  test('a payment after a sweep, outside of the watch window, is found by the comparison', async () => {
    const { address } = await newInvoice('TON');
    await pay(address, { value: 10n * TON });
    await poll();
    for (const { behaviour } of [ton.index, ton.node]) behaviour.changeBalance = afterSweep;
    expect(await compare()).toEqual([]);
    await testApp.database.query(`update deposit_addresses set watched_until = now() - interval '1 day'`);
    await pay(address, { value: 3n * TON });
    await poll();
    expect(await compare()).toEqual([
      // A contract pays for its storage from time to time.
      expect.stringMatching(new RegExp(`^${address} received (3.000|2.99999\\d*) TON more than its deposits`)),
    ]);
  });

  test('the list for sweeps has the number of the wallet, its state, and a note about a lock of the issuer', async () => {
    const { address } = await newInvoice('USDT_TON');
    await payTokens(address, 25_000_000n);
    await ton.chain.send({
      to: ton.chain.master,
      value: TON,
      body: bodies.lock(Address.parse(address), TON / 20n, 1),
    });
    await poll();
    const list = await makeHoldingsFile(testApp.ctx, 'ton', 10);
    expect(list?.chains).toMatchObject([
      {
        chain: 'ton',
        addresses: [
          {
            address,
            index: 1,
            assets: [{ asset: 'USDT', units: '25000000', contract: ton.chain.master.toString() }],
            state: 'UNINITIALIZED',
            seqno: 0,
            jettonWallet: ton.chain.walletOf(Address.parse(address)).toRawString(),
            notes: [expect.stringContaining('locked')],
          },
        ],
      },
    ]);
  });

  test('the command shows wallet ids, and names what a source lacks', async () => {
    const { address } = await newInvoice('USDT_TON');
    await payTokens(address, 25_000_000n);
    await poll();
    expect((await order(testApp.ctx, paymentsCommand, ['holdings', 'USDT_TON'])).output).toContain(
      `\t698983192\t${address}\t25.00`,
    );
    expect((await order(testApp.ctx, paymentsCommand, ['check'])).output).toMatch(/698983191 {2}UQ/);
    ton.node.behaviour.globalId = -3;
    ton.index.behaviour.disabled = new Set(['/runGetMethod']);
    const { output: found } = await order(testApp.ctx, paymentsCommand, ['check']);
    expect(found).toMatch(/DOES NOT WORK: newest block: .*serves the network -3, not -239/);
    expect(found).toMatch(/works, BUT: wallets of USDT/);
  });
});
