import { createInvoice, listCurrencies, listInvoices } from '@cellhop/contract/invoices';
import { type Currency } from '@cellhop/contract/invoices.values';
import { getAnyInvoice } from '@cellhop/contract/staff/invoices';
import assert from 'node:assert/strict';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { balanceOf, createUser, type TestUser } from '../../../test/factories.ts';
import { ScriptedChain } from '../../../test/scripted-chain.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { parseAccountKey } from '../../payments/derive/account-key.ts';
import { deriveAddress } from '../../payments/derive/addresses.ts';
import * as addresses from './addresses.store.ts';
import * as chainStates from './chain-states.store.ts';
import { compareChain } from './comparison.service.ts';
import { listHoldings } from './holdings.service.ts';
import { recordPoll } from './record-poll.ts';
import { watchChain } from './watch.service.ts';

/** The EVM account of the seed phrase `abandon` x 11 + `about`, and another one. */
const first = parseAccountKey(
  'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
);
const second = parseAccountKey(
  'xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd',
);

let testApp: TestApp;
let user: TestUser;
let chain: ScriptedChain;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  await testApp.reset();
  Object.assign(testApp.ctx.config, { isDevelopment: false });
  const { payments } = testApp.ctx.config;
  payments.accounts = { evm: first };
  // Nothing listens there: the tests poll a chain of their own.
  payments.urls = { ethereum: ['http://127.0.0.1:1'], bsc: ['http://127.0.0.1:1'] };
  chain = new ScriptedChain();
  user = await createUser(testApp);
  for (const asset of ['USDT', 'ETH'])
    await testApp.database.query(
      `insert into exchange_rates (asset, rate_e12, source_count, accepted_at) values ($1, $2, 2, now())`,
      [asset, asset === 'USDT' ? '1000000000000' : '4000000000000000'],
    );
  await poll();
});
afterEach(async () => assert.deepEqual(await checkInvariants(testApp.ctx), []));

async function poll() {
  await testApp.database.query('update chain_cursors set next_poll_at = now()');
  await watchChain(testApp.ctx, 'ethereum', chain);
}
const newInvoice = async (currency: Currency = 'USDT_ERC20', amount = 25) =>
  (await user.call(createInvoice, { body: { currency, amount } })).data;

const currencyStates = async () =>
  (await user.call(listCurrencies, {})).data.map(({ currency, problem }) => ({ currency, problem }));

describe('in production', () => {
  test('addresses are those of the operator’s wallet, from the second one on', async () => {
    const invoice = await newInvoice();
    expect(invoice).toMatchObject({ address: deriveAddress('evm', first, 1n), isSandbox: false, status: 'PENDING' });
    const finance = await createUser(testApp, { roleName: 'FINANCE' });
    const { data } = await finance.call(getAnyInvoice, { params: { id: invoice.id } });
    expect(data).toMatchObject({ derivationIndex: 1, walletNumber: '0/1' });
  });

  test('a payment is credited when its block is final', async () => {
    const { address } = await newInvoice();
    const sender = `0x${'5A'.repeat(20)}`;
    chain.send({ asset: 'USDT', address, sender, units: 25_000_000n });
    chain.mine();
    await poll();
    expect(await balanceOf(testApp, user)).toBe(0n);
    const { data } = await user.call(listInvoices, { query: {} });
    // The transaction ids of this chain have no page in an explorer.
    expect(data[0]!.payment!.transfers).toEqual([
      {
        amountInCurrency: '25.00',
        explorerUrl: null,
        sender,
        isCredited: false,
        confirmations: 1,
        confirmationsNeeded: null,
        isReplaceable: false,
        waitsForPeg: false,
        receipt: null,
      },
    ]);
    chain.finalizedHeight = 1;
    await poll();
    expect(await balanceOf(testApp, user)).toBe(25_000_000n);
  });

  test('staff get the sender of a deposit and the link to its transaction', async () => {
    const { id, address } = await newInvoice();
    const sender = `0x${'5A'.repeat(20)}`;
    chain.send({ asset: 'USDT', address, sender, units: 25_000_000n });
    chain.mine();
    await poll();
    const transactionId = `0x${'ab'.repeat(32)}`;
    await testApp.database.query('update deposits set transaction_id = $2 where invoice_id = $1', [id, transactionId]);
    const finance = await createUser(testApp, { roleName: 'FINANCE' });
    const { data } = await finance.call(getAnyInvoice, { params: { id } });
    const explorerUrl = `https://etherscan.io/tx/${transactionId}`;
    expect(data.deposits).toMatchObject([{ transactionId, sender, explorerUrl }]);
  });

  test('currencies are independent: if a chain or a rate is missing, only its currency is unavailable', async () => {
    await expect(newInvoice('USDT_BSC')).rejects.toMatchObject({ status: 503, code: 'CURRENCY_UNAVAILABLE' });
    await expect(newInvoice('BTC')).rejects.toMatchObject({ status: 503, code: 'CURRENCY_UNAVAILABLE' });
    await expect(newInvoice('TRX')).rejects.toMatchObject({ status: 503, code: 'CURRENCY_UNAVAILABLE' });
    await testApp.database.query(`delete from exchange_rates where asset = 'ETH'`);
    await expect(newInvoice('ETH')).rejects.toMatchObject({ status: 503, code: 'RATE_UNAVAILABLE' });
    expect((await newInvoice()).status).toBe('PENDING');
  });

  test('the list of currencies shows which ones are available, and why others are not', async () => {
    // BSC was never polled; Bitcoin and the others are not set up.
    expect(await currencyStates()).toEqual([
      { currency: 'ETH', problem: null },
      { currency: 'USDT_ERC20', problem: null },
      { currency: 'USDT_BSC', problem: 'NETWORK' },
    ]);
    await testApp.database.query(`delete from exchange_rates where asset = 'ETH'`);
    expect(await currencyStates()).toContainEqual({ currency: 'ETH', problem: 'RATE' });
    expect(await currencyStates()).toContainEqual({ currency: 'USDT_ERC20', problem: null });
    await chainStates.pause(testApp.ctx, 'ethereum', 'a test');
    expect((await currencyStates()).map(({ problem }) => problem)).toEqual(['NETWORK', 'NETWORK', 'NETWORK']);
    await expect(testApp.call(listCurrencies, {})).rejects.toMatchObject({ status: 401 });
  });

  test('a currency may have a higher minimum', async () => {
    testApp.ctx.config.payments.minimumMicros = { USDT_ERC20: 20_000_000n };
    await expect(newInvoice('USDT_ERC20', 19)).rejects.toMatchObject({
      status: 400,
      body: { details: [{ path: 'body.amount', message: 'must be at least 20 in USDT_ERC20' }] },
    });
    await newInvoice('USDT_ERC20', 20);
  });

  test('an address that was changed in the database is not shown', async () => {
    const invoice = await newInvoice();
    const attacker = '0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0'.replace('6F', '7F');
    await testApp.database.query('update deposit_addresses set address = $1', [attacker]);
    const { data } = await user.call(listInvoices, { query: {} });
    expect(data).toMatchObject([{ id: invoice.id, address: '' }]);
  });

  test('a new key derives new addresses, and payments to older ones are still credited', async () => {
    const { address } = await newInvoice();
    testApp.ctx.config.payments.accounts = { evm: second };
    const next = await newInvoice();
    expect(next.address).toBe(deriveAddress('evm', second, 1n));
    expect((await user.call(listInvoices, { query: {} })).data.map((each) => each.address)).toEqual([
      next.address,
      address,
    ]);
    chain.send({ asset: 'USDT', address, units: 7_000_000n });
    chain.mine();
    chain.finalizedHeight = 1;
    await poll();
    expect(await balanceOf(testApp, user)).toBe(7_000_000n);
    testApp.ctx.config.payments.accounts = { evm: first };
    expect((await newInvoice()).address).not.toBe(next.address);
    expect((await addresses.listAccounts(testApp.ctx)).map(({ fingerprint }) => fingerprint)).toEqual([
      first.fingerprint,
      second.fingerprint,
    ]);
  });

  test('the comparison finds money that no deposit explains, and no sweep', async () => {
    const { address } = await newInvoice();
    chain.send({ asset: 'USDT', address, units: 25_000_000n });
    chain.mine();
    await poll();
    expect(await compareChain(testApp.ctx, 'ethereum', chain)).toEqual([]);
    chain.sweep('USDT', address);
    expect(await compareChain(testApp.ctx, 'ethereum', chain)).toEqual([]);
    await testApp.database.query(`update deposits set state = 'REPLACED'`);
    expect(await compareChain(testApp.ctx, 'ethereum', chain)).toEqual([
      `${address} received 25.00 USDT_ERC20 more than its deposits, after block 1`,
    ]);
  });

  test('the addresses with the largest balances are listed for a sweep, with their numbers in the wallet', async () => {
    const { address } = await newInvoice();
    const other = await createUser(testApp);
    const { data } = await other.call(createInvoice, { body: { currency: 'USDT_ERC20', amount: 25 } });
    await (await createUser(testApp)).call(createInvoice, { body: { currency: 'USDT_ERC20', amount: 25 } });
    chain.send({ asset: 'USDT', address, units: 7_000_000n });
    chain.send({ asset: 'USDT', address: data.address, units: 9_000_000n });
    chain.mine();
    const holdings = await listHoldings(testApp.ctx, 'USDT_ERC20', chain, 10);
    expect(holdings).toMatchObject([
      { address: data.address, derivationIndex: 2n, balanceUnits: 9_000_000n, fingerprint: first.fingerprint },
      { address, derivationIndex: 1n, balanceUnits: 7_000_000n },
    ]);
    expect(await listHoldings(testApp.ctx, 'USDT_ERC20', chain, 1)).toHaveLength(1);
    expect(await listHoldings(testApp.ctx, 'ETH', chain, 10)).toEqual([]);
  });

  test('only one of two workers polls, and recording an outdated poll changes nothing', async () => {
    await testApp.database.query('update chain_cursors set next_poll_at = now()');
    const before = chain.pollCount;
    await Promise.all([watchChain(testApp.ctx, 'ethereum', chain), watchChain(testApp.ctx, 'ethereum', chain)]);
    expect(chain.pollCount).toBe(before + 1);
    const outdated = await chain.poll('["genesis"]', new Set());
    const state = { ...(await chainStates.readState(testApp.ctx, 'ethereum')), cursor: 'another cursor' };
    expect(await recordPoll(testApp.ctx, 'ethereum', state, outdated, 0)).toBe(false);
  });

  test('the gap that the wallet must scan is the longest run of unpaid addresses', async () => {
    await newInvoice();
    for (let count = 0; count < 3; count++)
      await (await createUser(testApp)).call(createInvoice, { body: { currency: 'ETH', amount: 25 } });
    expect(await addresses.listAccounts(testApp.ctx)).toMatchObject([{ addressCount: 4, paidCount: 0, gap: 4 }]);
  });
});
