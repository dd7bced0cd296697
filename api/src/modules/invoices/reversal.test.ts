/** @module-tag thorough */
import { getReferralSummary } from '@cellhop/contract/referrals';
import { listTransactions } from '@cellhop/contract/transactions';
import assert from 'node:assert/strict';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { balanceOf, createUser, spend, type TestUser } from '../../../test/factories.ts';
import { BLOCKS_UNTIL_FINAL, raiseToSilver, paymentsOn } from '../../../test/payments-on-chain.ts';
import { ScriptedChain } from '../../../test/scripted-chain.ts';
import { reload } from '../../../test/sandbox-payments.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import * as ledger from '../ledger/ledger.service.ts';
import * as states from './chain-states.store.ts';
import { compareChain } from './comparison.service.ts';

const DOLLAR = 1_000_000n;

let testApp: TestApp;
let chain: ScriptedChain;
let user: TestUser;
let referrer: TestUser;
let payments: ReturnType<typeof paymentsOn>;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  await testApp.reset();
  chain = new ScriptedChain();
  payments = paymentsOn(chain, testApp);
  referrer = await createUser(testApp);
  await raiseToSilver(testApp, referrer, await createUser(testApp, { referrerId: referrer.id }));
  user = await createUser(testApp, { referrerId: referrer.id });
});
afterEach(async () => assert.deepEqual(await checkInvariants(testApp.ctx), []));

/** The balances of the customer, the referrer, `loss` and `external`. */
async function balances() {
  const { external, loss } = ledger.systemAccounts;
  return Promise.all(
    [user, referrer, { accountId: loss }, { accountId: external }].map((each) => balanceOf(testApp, each)),
  );
}

test('a reversal takes the bonus back too; when the payment returns, both are credited again, once', async () => {
  const { invoice, payment } = await payments.credit(user);
  const credited = [25n * DOLLAR, 2_500_000n, 0n, -25n * DOLLAR];
  expect(await balances()).toEqual(credited);
  await payments.orphan(payment);
  expect(await balances()).toEqual([0n, 0n, 0n, 0n]);
  await payments.confirm(payment);
  expect(await balances()).toEqual(credited);
  expect((await reload(user, invoice)).status).toBe('PAID');
  await Promise.all([payments.watch(), payments.watch()]);
  expect(await balances()).toEqual(credited);
  const { data } = await user.call(listTransactions, { query: {} });
  expect(data.map(({ kind, amount }) => [kind, amount])).toEqual([
    ['RESTORATION', 25],
    ['REVERSAL', -25],
    ['TOP_UP', 25],
  ]);
  const recorded = await testApp.database.query<{ action: string }>(
    `select action from audit_log where action like 'DEPOSIT_%' order by id`,
  );
  expect(recorded.map(({ action }) => action)).toEqual(['DEPOSIT_REVERSED', 'DEPOSIT_RESTORED']);
});

test('money that customer and referrer have spent is a loss until the payment returns; this can repeat', async () => {
  const { payment } = await payments.credit(user);
  await spend(testApp, user, 20n * DOLLAR);
  await spend(testApp, referrer, 2n * DOLLAR);
  for (let round = 1; round <= 3; round++) {
    await payments.orphan(payment);
    expect(await balances()).toEqual([0n, 0n, -22n * DOLLAR, 0n]);
    await payments.confirm(payment);
    expect(await balances()).toEqual([5n * DOLLAR, 500_000n, 0n, -25n * DOLLAR]);
  }
  expect(await compareChain(testApp.ctx, 'bitcoin', chain)).toEqual([]);
});

test('the earnings on the referral page exclude bonuses that were taken back', async () => {
  const earned = async () => (await referrer.call(getReferralSummary, {})).data.earned;
  const { payment } = await payments.credit(user);
  expect(await earned()).toBe(2.5);
  await payments.orphan(payment);
  expect(await earned()).toBe(0);
  await payments.confirm(payment);
  expect(await earned()).toBe(2.5);
  await spend(testApp, referrer, 2n * DOLLAR);
  await payments.orphan(payment);
  // The rest is a loss of the operator.
  expect(await earned()).toBe(2);
  await payments.confirm(payment);
  expect(await earned()).toBe(2.5);
});

test('a reversed payment in a block is not credited before it is final, nor while the chain is paused', async () => {
  const { payment } = await payments.credit(user);
  await payments.orphan(payment);
  chain.mine([payment]);
  chain.mineEmpty(BLOCKS_UNTIL_FINAL - 2);
  await payments.watch();
  expect((await balances())[0]).toBe(0n);
  expect(await compareChain(testApp.ctx, 'bitcoin', chain)).toEqual([]);
  await states.pause(testApp.ctx, 'bitcoin', 'a test');
  chain.mineEmpty(1);
  await payments.watch();
  expect((await balances())[0]).toBe(0n);
  await states.resume(testApp.ctx, 'bitcoin');
  await payments.watch();
  expect((await balances())[0]).toBe(25n * DOLLAR);
});

test('a reversed payment whose new block leaves the chain too stays reversed', async () => {
  const { payment } = await payments.credit(user);
  await payments.orphan(payment);
  chain.mine([payment]);
  await payments.watch();
  chain.reorganise(1);
  chain.drop(payment);
  chain.mineEmpty(BLOCKS_UNTIL_FINAL + 2);
  await payments.watch();
  expect(await balances()).toEqual([0n, 0n, 0n, 0n]);
});

test('a large payment that returns needs the same fact from a second source again', async () => {
  const { payment } = await payments.credit(user, 1_000_000n);
  await payments.orphan(payment);
  chain.secondOpinion = false;
  await payments.confirm(payment);
  expect((await balances())[0]).toBe(0n);
  await testApp.database.query('update deposits set released_at = now()');
  await payments.watch();
  expect((await balances())[0]).toBe(1000n * DOLLAR);
});
