/** @module-tag thorough */
import type { Invoice } from '@cellhop/contract/invoices';
import assert from 'node:assert/strict';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { balanceOf, createUser, type TestUser } from '../../../test/factories.ts';
import { newInvoice } from '../../../test/sandbox-payments.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import type { ObservedPayment, Poll } from '../../payments/chains/watcher.ts';
import * as states from './chain-states.store.ts';
import { creditFinalDeposits } from './decide.ts';
import { type KnownDeposit, planMoves } from './moved-deposits.ts';
import { recordPoll } from './record-poll.ts';

const block = (hash: string, height = 100) => ({ height, hash, time: new Date() });
const at = (output: number, address: string, units: bigint, hash = 'b') => ({
  asset: 'USDT',
  transactionId: 'tx',
  output,
  address,
  units,
  block: block(hash),
  arrivedAt: new Date(),
});
const stored = (id: string, output: number, address: string, units: bigint, hash?: string): KnownDeposit => ({
  id,
  asset: 'USDT',
  transactionId: 'tx',
  output,
  address,
  units,
  block: hash === undefined ? undefined : block(hash),
  isOrphaned: hash === undefined,
});

describe('deposits of a transaction that a fork has included again', () => {
  test.each([
    ['stay at the same place', [stored('1', 7, 'a', 1n)], [at(7, 'a', 1n)], []],
    ['move to another place', [stored('1', 7, 'a', 1n)], [at(9, 'a', 1n)], [['1', 9]]],
    ['move once, if a poll reports it twice', [stored('1', 7, 'a', 1n)], [at(9, 'a', 1n), at(9, 'a', 1n)], [['1', 9]]],
    [
      'move together',
      [stored('1', 7, 'a', 1n), stored('2', 8, 'b', 2n)],
      [at(8, 'a', 1n), at(9, 'b', 2n)],
      [
        ['1', 8],
        ['2', 9],
      ],
    ],
    [
      'exchange their places',
      [stored('1', 7, 'a', 1n), stored('2', 8, 'a', 2n)],
      [at(7, 'a', 2n), at(8, 'a', 1n)],
      [
        ['2', 7],
        ['1', 8],
      ],
    ],
    ['leave their place to another payment', [stored('1', 7, 'a', 1n)], [at(7, 'a', 5n)], [['1', -1]]],
    ['stay, if another log of the same block is new', [stored('1', 7, 'a', 1n, 'b')], [at(9, 'a', 1n)], []],
  ])('%s', (_name, known, payments, moves) => {
    expect(planMoves(known, payments)).toEqual({ moves: moves.map(([id, output]) => ({ id, output })), refused: [] });
  });

  test('are not replaced by another payment of the same block', () => {
    const payment = at(7, 'a', 5n);
    expect(planMoves([stored('1', 7, 'a', 1n, 'b')], [payment])).toEqual({ moves: [], refused: [payment] });
  });
});

const neverAsked = () => assert.fail('nothing is large');

describe('on Ethereum', () => {
  let testApp: TestApp;
  let user: TestUser;
  let other: TestUser;
  let addresses: [string, string];
  beforeAll(async () => {
    testApp = await startTestApp();
  });
  afterAll(() => testApp.stop());
  beforeEach(async () => {
    await testApp.reset();
    [user, other] = [await createUser(testApp), await createUser(testApp)];
    const invoices: Invoice[] = [];
    for (const one of [user, other]) invoices.push(await newInvoice(one, 'USDT_ERC20'), await newInvoice(one, 'ETH'));
    addresses = [invoices[0]!.address, invoices[2]!.address];
    assert.equal(invoices[1]!.address, addresses[0]);
  });
  afterEach(async () => assert.deepEqual(await checkInvariants(testApp.ctx), []));

  async function poll(payments: readonly ObservedPayment[], height: number, orphanedBlockHashes: string[] = []) {
    const previous = await states.readState(testApp.ctx, 'ethereum');
    const found: Poll = {
      cursor: String(height),
      payments,
      orphanedBlockHashes,
      pooledTransactionIds: undefined,
      head: { height, hash: String(height), time: new Date(), safeHeight: undefined, finalizedHeight: undefined },
      scannedHeight: height,
      clockErrorMs: 5000,
    };
    await recordPoll(testApp.ctx, 'ethereum', previous, found, 0);
    await creditFinalDeposits(testApp.ctx, 'ethereum', { confirm: neverAsked } as never);
  }
  const dollars = async () =>
    Promise.all([user, other].map(async (one) => Number(await balanceOf(testApp, one)) / 1e6));
  const rows = () =>
    testApp.database.query<{ output: number; state: string }>('select output, state from deposits order by output');

  test('a batch whose logs have other numbers after a fork is credited once, to the same users', async () => {
    const [a, b] = addresses;
    await poll([at(7, a, 10_000_000n, 'a'), at(8, b, 25_000_000n, 'a')], 100);
    await poll([at(8, a, 10_000_000n, 'b'), at(9, b, 25_000_000n, 'b')], 101, ['a']);
    await poll([], 110);
    expect(await dollars()).toEqual([10, 25]);
    expect(await rows()).toEqual([
      { output: 8, state: 'CREDITED' },
      { output: 9, state: 'CREDITED' },
    ]);
  });

  test('a credited payment that a fork moves is not reversed, nor credited again', async () => {
    const [a] = addresses;
    await poll([at(7, a, 10_000_000n, 'a')], 100);
    await poll([], 110);
    await poll([], 111, ['a']);
    await poll([{ ...at(3, a, 10_000_000n, 'b'), block: block('b', 112) }], 112);
    await poll([], 200);
    expect(await dollars()).toEqual([10, 0]);
    expect(await rows()).toEqual([{ output: 3, state: 'CREDITED' }]);
  });

  test('two equal logs of one transaction are two payments', async () => {
    const [a] = addresses;
    await poll([at(7, a, 10_000_000n, 'a')], 100);
    await poll([at(9, a, 10_000_000n, 'a')], 101);
    await poll([], 110);
    expect(await dollars()).toEqual([20, 0]);
  });

  test('ether that nothing explains is refused if a payment of its block is known that is not reported again', async () => {
    const [address] = addresses;
    const units = 10n ** 16n;
    const ether = { ...at(0, address, units, 'a'), asset: 'ETH', transactionId: '0x1' };
    const unexplained = { ...ether, transactionId: `balance:100:${address}` };
    await poll([ether], 100);
    await poll([unexplained], 101);
    expect(await rows()).toEqual([{ output: 0, state: 'INCLUDED' }]);
    await poll([ether, { ...unexplained, units: units / 2n }], 102);
    await poll([], 110);
    expect(await dollars()).toEqual([60, 0]);
  });

  test('a transaction of ether is refused if it was credited before as ether that nothing explains', async () => {
    const [address, other] = addresses;
    const units = 10n ** 16n;
    const ether = { ...at(0, address, units, 'a'), asset: 'ETH', transactionId: '0x1' };
    const unexplained = { ...ether, transactionId: `balance:100:${address}` };
    await poll([unexplained], 100);
    await poll([], 110);
    await poll([ether, { ...ether, address: other, transactionId: '0x2' }], 111);
    await poll([ether, { ...unexplained, units: 1n }], 112);
    await poll([], 120);
    expect(await dollars()).toEqual([40, 40]);
  });

  test('another amount of a log in the same block changes nothing', async () => {
    const [a] = addresses;
    await poll([at(7, a, 10_000_000n, 'a')], 100);
    await poll([at(7, a, 90_000_000n, 'a')], 101);
    await poll([], 110);
    expect(await dollars()).toEqual([10, 0]);
  });
});
