/** @module-tag thorough */
import type { Invoice } from '@cellhop/contract/invoices';
import assert from 'node:assert/strict';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { balanceOf, createUser, type TestUser } from '../../../test/factories.ts';
import { newInvoice } from '../../../test/sandbox-payments.ts';
import { ScriptedChain } from '../../../test/scripted-chain.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { ChainUnavailable } from '../../payments/chains/watcher.ts';
import * as states from './chain-states.store.ts';
import { compareChain } from './comparison.service.ts';
import { resumeDeposit, resumeChain } from './operator.service.ts';
import { rescanChain } from './rescan.service.ts';
import { watchChain } from './watch.service.ts';

const DOLLAR = 1_000_000n;
/** $25 at the rate of the sandbox. */
const UNITS = 25_000n;
const BLOCKS_UNTIL_FINAL = 24;

let testApp: TestApp;
let chain: ScriptedChain;
let user: TestUser;
let invoice: Invoice;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  await testApp.reset();
  chain = new ScriptedChain(10);
  user = await createUser(testApp);
  invoice = await newInvoice(user);
  await watch();
});
afterEach(async () => assert.deepEqual(await checkInvariants(testApp.ctx), []));

const watch = () => watchChain(testApp.ctx, 'bitcoin', chain);
const rescan = (from = 1) => rescanChain(testApp.ctx, 'bitcoin', from, chain);
const dollars = async () => (await balanceOf(testApp, user)) / DOLLAR;
const depositStates = async () =>
  (await testApp.database.query<{ state: string }>('select state from deposits order by arrived_at, id')).map(
    ({ state }) => state,
  );

/** Its watch window has ended. */
async function miss(units = UNITS) {
  await testApp.database.query(`update deposit_addresses set watched_until = now() - interval '1 day'`);
  const payment = chain.send({ asset: 'BTC', address: invoice.address, units });
  chain.mine();
  chain.mineEmpty(BLOCKS_UNTIL_FINAL);
  await watch();
  return payment;
}

/** As a watcher whose remembered blocks have all left the chain. */
async function loseCursor() {
  const poll = chain.poll.bind(chain);
  const { cursor: lost } = await states.readState(testApp.ctx, 'bitcoin');
  chain.poll = (cursor, addresses) =>
    cursor === lost ? Promise.reject(new ChainUnavailable('DEEP_REORGANISATION', 'a test')) : poll(cursor, addresses);
  await testApp.database.query('update chain_cursors set next_poll_at = now()');
  await watch();
}

describe('a rescan', () => {
  test('finds a payment that was missed, and it is credited once, however often it is repeated', async () => {
    await miss();
    expect([await dollars(), (await compareChain(testApp.ctx, 'bitcoin', chain)).length]).toEqual([0n, 1]);
    expect(await rescan()).toEqual({ toHeight: 1, found: 1 });
    await watch();
    expect(await dollars()).toBe(25n);
    expect(await rescan()).toEqual({ toHeight: 1, found: 0 });
    await watch();
    expect([await dollars(), await depositStates()]).toEqual([25n, ['CREDITED']]);
    expect(await compareChain(testApp.ctx, 'bitcoin', chain)).toEqual([]);
  });

  test('leaves the blocks of the watcher alone, and its cursor', async () => {
    await miss();
    const { cursor, scannedHeight } = await states.readState(testApp.ctx, 'bitcoin');
    await rescan();
    expect(await states.readState(testApp.ctx, 'bitcoin')).toMatchObject({ cursor, scannedHeight });
    await expect(rescan(2)).rejects.toThrow('The watcher still reads blocks after 1 itself.');
  });

  test('does not credit what is known by another key', async () => {
    await miss();
    await rescan();
    await watch();
    await testApp.database.query('update deposits set output = 7');
    expect(await rescan()).toEqual({ toHeight: 1, found: 0 });
    await watch();
    expect(await dollars()).toBe(25n);
  });

  test('holds a payment that staff have settled by hand, until the operator releases it', async () => {
    await miss();
    await testApp.database.query(
      `insert into deposits (chain, asset, transaction_id, output, address_id, units, state, arrived_at, credited_micros, credited_at, is_by_hand)
       select 'bitcoin', 'BTC', 'a request', 0, id, $2, 'CREDITED', now(), 0, now(), true from deposit_addresses where address = $1`,
      [invoice.address, UNITS + 100n],
    );
    expect(await rescan()).toMatchObject({ found: 1 });
    await watch();
    const [held] = await testApp.database.query<{ id: string; hold: string }>(
      'select id, hold from deposits where not is_by_hand',
    );
    expect([await dollars(), held!.hold]).toEqual([0n, 'SETTLED']);
    expect(await resumeDeposit(testApp.ctx, held!.id)).toBe(true);
    await watch();
    expect(await dollars()).toBe(25n);
    await testApp.database.query('delete from deposits where is_by_hand');
  });

  test('asks in parts for more addresses than a poll reads together, and goes on from the part that is behind', async () => {
    const others = await Promise.all(Array.from({ length: 2 }, async () => newInvoice(await createUser(testApp))));
    const addresses = [invoice, ...others].map(({ address }) => address);
    await testApp.database.query(`update deposit_addresses set watched_until = now() - interval '1 day'`);
    for (const address of addresses) {
      chain.send({ asset: 'BTC', address, units: UNITS });
      chain.mine();
      chain.mineEmpty(BLOCKS_UNTIL_FINAL);
    }
    await watch();
    const poll = chain.poll.bind(chain);
    let polls = 0;
    const together = Object.assign(chain, { readTogetherMax: 2 });
    together.poll = (cursor, asked) => {
      polls += 1;
      if (polls === 4) return Promise.reject(new ChainUnavailable('DOWN', 'a test'));
      return poll(cursor, new Set([...asked].slice(0, together.readTogetherMax)));
    };
    await expect(rescan()).rejects.toThrow('To go on: npm run payments -- rescan bitcoin 11');
    expect(await rescan(11)).toMatchObject({ toHeight: 51 });
    await watch();
    const [row] = await testApp.database.query<{ count: bigint }>(
      'select count(distinct address_id) as count from deposits',
    );
    expect(row!.count).toBe(3n);
  });

  test('that fails says how to continue', async () => {
    await miss();
    chain.mineEmpty(20);
    await watch();
    const poll = chain.poll.bind(chain);
    let polls = 0;
    chain.poll = (cursor, addresses) =>
      ++polls === 2 ? Promise.reject(new ChainUnavailable('DOWN', 'a test')) : poll(cursor, addresses);
    await expect(rescan()).rejects.toThrow('a test. To go on: npm run payments -- rescan bitcoin 11');
    expect(await rescan(11)).toEqual({ toHeight: 21, found: 0 });
    await watch();
    expect(await dollars()).toBe(25n);
  });
});

describe('after a reorganisation that is deeper than the cursor', () => {
  beforeEach(async () => {
    chain.send({ asset: 'BTC', address: invoice.address, units: UNITS });
    chain.mine();
    chain.mineEmpty(BLOCKS_UNTIL_FINAL);
    await watch();
  });

  test('resuming needs a rescan, which finds the payments in their new blocks again', async () => {
    const [payment] = chain.reorganise(BLOCKS_UNTIL_FINAL + 1);
    chain.mineEmpty(3);
    chain.mine([payment!]);
    chain.mineEmpty(BLOCKS_UNTIL_FINAL);
    await loseCursor();
    await expect(resumeChain(testApp.ctx, 'bitcoin')).rejects.toThrow('payments -- rescan bitcoin <block>');
    expect(await rescan()).toEqual({ toHeight: undefined, found: 0 });
    await watch();
    expect(await resumeChain(testApp.ctx, 'bitcoin')).toBe(true);
    await watch();
    expect([await dollars(), await depositStates()]).toEqual([25n, ['CREDITED']]);
    expect(await states.readState(testApp.ctx, 'bitcoin')).toMatchObject({ unavailableReason: null, pausedAt: null });
  });

  test('a payment that is in no block any more is reversed', async () => {
    const [payment] = chain.reorganise(BLOCKS_UNTIL_FINAL + 1);
    chain.drop(payment!);
    chain.mineEmpty(40);
    await loseCursor();
    await rescan();
    await watch();
    chain.mineEmpty(1);
    await watch();
    expect([await dollars(), await depositStates()]).toEqual([0n, ['REVERSED']]);
  });
});
