/** @module-tag thorough */
import { beforeEach, afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { ScriptedChain } from '../../../test/scripted-chain.ts';
import { newInvoice } from '../../../test/sandbox-payments.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { ChainUnavailable, type UnspentOutput } from '../../payments/chains/watcher.ts';
import {
  acceptDifferences,
  compareChain,
  compareChains,
  compareFromStart,
  compareIfDue,
} from './comparison.service.ts';
import * as chainStates from './chain-states.store.ts';
import { watchChain } from './watch.service.ts';

const UNITS = 500_000_000n;
const MISSED = 50_000_000n;

let testApp: TestApp;
let chain: ScriptedChain;
let user: TestUser;
let address: string;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  await testApp.reset();
  chain = new ScriptedChain();
  user = await createUser(testApp);
  ({ address } = await newInvoice(user, 'USDT_ERC20'));
  await watch();
});

const watch = () => watchChain(testApp.ctx, 'ethereum', chain);
const compare = () => compareChain(testApp.ctx, 'ethereum', chain);
const stored = async () => (await chainStates.readState(testApp.ctx, 'ethereum')).differences;

async function send(units: bigint, to = address) {
  chain.send({ asset: 'USDT', address: to, units });
  chain.mine();
  await watch();
}

const endWatch = () => testApp.database.query(`update deposit_addresses set watched_until = now() - interval '1 day'`);
const watched = async () =>
  (await testApp.database.query('select from deposit_addresses where watched_until > now()')).length;

describe('a payment to an address whose watch window has ended', () => {
  beforeEach(async () => {
    await send(UNITS);
    await endWatch();
    await compare();
  });

  test('is found after a sweep of the one before', async () => {
    chain.sweep('USDT', address);
    expect(await compare()).toEqual([]);
    await send(MISSED);
    expect(await compare()).toEqual([`${address} received 50.00 USDT_ERC20 more than its deposits, after block 1`]);
    expect(await stored()).toHaveLength(1);
  });

  test('is found if it arrived on the day of the sweep', async () => {
    chain.sweep('USDT', address);
    await send(MISSED);
    expect(await compare()).toHaveLength(1);
  });

  test('stays a difference when it is swept, and lets the address be watched again', async () => {
    await send(MISSED);
    expect([await watched(), (await compare()).length, await watched()]).toEqual([0, 1, 1]);
    chain.sweep('USDT', address);
    expect(await compare()).toHaveLength(1);
    await send(7_000_000n);
    expect(await compare()).toEqual([`${address} received 50.00 USDT_ERC20 more than its deposits, after block 1`]);
  });

  test('is no difference once staff have settled it', async () => {
    await send(MISSED);
    expect(await compare()).toHaveLength(1);
    await testApp.database.query(
      `insert into deposits (chain, asset, transaction_id, output, address_id, units, state, arrived_at, credited_micros, credited_at, is_by_hand)
       select 'ethereum', 'USDT', 'a request', 0, id, $2, 'CREDITED', now(), 50000000, now(), true
         from deposit_addresses where address = $1`,
      [address, MISSED],
    );
    for (let day = 1; day <= 2; day++) expect(await compare()).toEqual([]);
    await send(MISSED + 1n);
    expect(await compare()).toHaveLength(0);
  });

  test('is no difference once the operator has explained it', async () => {
    await send(MISSED);
    await compare();
    expect(await acceptDifferences(testApp.ctx, 'ethereum', address)).toBe(true);
    expect(await stored()).toEqual([]);
    expect([await compare(), await acceptDifferences(testApp.ctx, 'ethereum', address)]).toEqual([[], false]);
  });
});

describe('on a chain that lists unspent outputs', () => {
  test('a missed one is found, also after sweeps', async () => {
    const { transactionId } = chain.send({ asset: 'USDT', address, units: UNITS });
    chain.mine();
    await watch();
    const outputs: UnspentOutput[] = [
      { transactionId, output: 0, address, units: UNITS, height: 1 },
      { transactionId: 'missed', output: 3, address, units: MISSED, height: 1 },
    ];
    const nothing = { height: 1, units: new Map<string, bigint>() };
    const listed = { height: 1, units: new Map([[address, MISSED]]), outputs };
    chain.balances = (asset) => Promise.resolve(asset === 'USDT' ? listed : nothing);
    for (let day = 1; day <= 2; day++)
      expect(await compare()).toEqual([`${address} received 50.00 USDT_ERC20 more than its deposits`]);
  });
});

describe('a comparison', () => {
  test('continues after a failure where it ended, and counts once', async () => {
    chain.balanceLimits = { addressesMax: 2, timeMs: 1000 };
    for (let count = 1; count <= 4; count++) await newInvoice(await createUser(testApp), 'USDT_ERC20');
    await send(UNITS);
    const balances = chain.balances.bind(chain);
    const asked: string[] = [];
    let failures = 1;
    chain.balances = (asset, addresses) => {
      if (asset === 'USDT' && asked.length === 2 && failures-- > 0)
        return Promise.reject(new ChainUnavailable('DOWN', 'a test'));
      if (asset === 'USDT') asked.push(...addresses);
      return balances(asset, addresses);
    };
    await compareIfDue(testApp.ctx, 'ethereum', chain);
    expect([asked.length, (await chainStates.readState(testApp.ctx, 'ethereum')).comparedAt]).toEqual([2, null]);
    await compareIfDue(testApp.ctx, 'ethereum', chain);
    expect([asked.length, new Set(asked).size]).toEqual([5, 5]);
    expect((await chainStates.readState(testApp.ctx, 'ethereum')).comparedAt).not.toBeNull();
    await compareIfDue(testApp.ctx, 'ethereum', chain);
    expect(asked).toHaveLength(5);
  });

  test('before a sweep begins with the first address, also while another round has not ended', async () => {
    await send(UNITS);
    await newInvoice(await createUser(testApp), 'USDT_ERC20');
    await endWatch();
    const balances = chain.balances.bind(chain);
    chain.balanceLimits = { ...chain.balanceLimits, addressesMax: 1 };
    let calls = 0;
    chain.balances = (asset, addresses) =>
      asset === 'USDT' && ++calls === 2
        ? Promise.reject(new ChainUnavailable('DOWN', 'a test'))
        : balances(asset, addresses);
    await expect(compare()).rejects.toThrow('a test');
    // It pays to an address that this round has compared.
    await send(MISSED);
    const missed = `${address} received 50.00 USDT_ERC20 more than its deposits, after block 1`;
    expect(await compareFromStart(testApp.ctx, 'ethereum', chain)).toEqual([missed]);
  });

  test('of one chain does not wait for a slow one, and ends although another fails', async () => {
    for (const currency of ['BTC', 'LTC'] as const) await newInvoice(user, currency);
    Object.assign(testApp.ctx.config, { isDevelopment: false });
    const slow = new ScriptedChain();
    const { promise: scan, reject: endScan } = Promise.withResolvers<never>();
    slow.balances = () => scan;
    const broken = new ScriptedChain();
    broken.balances = () => Promise.reject(new Error('a bug'));
    const watchers = {
      bitcoin: slow,
      litecoin: broken,
      ethereum: chain,
      bsc: undefined,
      tron: undefined,
      ton: undefined,
    };
    const comparison = compareChains(testApp.ctx, (_ctx, name) => watchers[name]);
    await expect.poll(async () => (await chainStates.readState(testApp.ctx, 'ethereum')).comparedAt).not.toBeNull();
    endScan(new ChainUnavailable('DOWN', 'it took too long'));
    await expect(comparison).rejects.toThrow('a bug');
  });

  test('waits for blocks that are still to be read', async () => {
    chain.send({ asset: 'USDT', address, units: UNITS });
    chain.mine();
    const giveUp = compareChain(testApp.ctx, 'ethereum', chain, 0);
    await expect(giveUp).rejects.toThrow('block 1 is still to be read');
    const comparison = compare();
    await watch();
    expect(await comparison).toEqual([]);
  });
});
